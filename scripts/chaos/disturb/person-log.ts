// The record of what the person of a round has committed, for the checks to compare with the repository.
import { PERSONAL } from '../project.ts';

export type PersonLog = {
  /** The newest commit that the person has pulled: everything above it is rewritten by the next rebase. */
  upstream: string;
  /** Subjects of the commits that must be on a branch, by the person or by a colleague of theirs. */
  readonly commits: { subject: string; branch: string }[];
  /** Files that only the person writes, by branch. */
  readonly files: { branch: string; path: string; text: string }[];
  /** Lines of the person's in the file that all tasks share. */
  readonly lines: { branch: string; text: string }[];
  /** What the person has changed and not committed, with its letters in `git status`. */
  readonly drafts: Map<string, { text: string; status: string }>;
  /** Commits that the person replaced, each with its replacement. */
  readonly rewritten: Map<string, string>;
  /** Sentences of git for what the person wanted to do and could not. */
  readonly refused: string[];
};

export const newPersonLog = (upstream: string): PersonLog => ({
  upstream,
  commits: [],
  files: [],
  lines: [],
  drafts: new Map(Object.entries(PERSONAL)),
  rewritten: new Map(),
  refused: [],
});

/** The commit that stands for this one after all that the person rewrote. */
export function currentCommit(
  { rewritten }: Pick<PersonLog, 'rewritten'>,
  commit: string | null,
): string | null {
  let current = commit;
  while (current !== null && rewritten.has(current)) current = rewritten.get(current) ?? null;
  return current;
}
