// The candidate of a landing: the commit that the trunk would get, before gates have judged it.
import type { GateResult } from '../../domain/sessions/gate.ts';
import { NotLanded } from '../../domain/sessions/landing.ts';
import { git, treeOfCommit } from '../git/git.ts';
import { holdingOffGc } from '../git/hold-off-gc.ts';
import { isText, readLooseObjects } from '../git/loose-objects.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { type Change, changesBetween, GONE } from '../git/tree-changes.ts';
import { commitsBetween, type Merge, mergeWork } from './merge.ts';
import type { WorkCommit } from './work-refs.ts';

export type Candidate = {
  /** The commit of the trunk that it goes on top of. */
  tip: string;
  tree: string;
};

/**
 * Prepares to let commands make the files in conflict anew; null if the merge cannot be saved so. The result runs them, for minutes,
 * and passes on the tree that they made; null if one fails.
 */
export type Regenerate = (merge: Merge, tip: string) => Promise<Regeneration | null>;
export type Regeneration = <T>(use: (tree: string) => Promise<T>) => Promise<T | null>;

/**
 * `use` holds the candidate by a ref. Until then gc is held off from a merge, but not while commands run. Throws NotLanded on a
 * conflict.
 */
export async function makeCandidate<T extends object>(
  repository: Place,
  work: WorkCommit,
  tip: string,
  regenerate: Regenerate,
  use: (candidate: Candidate) => Promise<T>,
): Promise<T> {
  // Nothing to merge: a ref holds the work already.
  if (work.base === tip) return use({ tip, tree: work.tree });
  const begun = await holdingOffGc(repository, async () => {
    const merge = await mergeWork(repository, work, tip);
    if (merge.conflicts.length === 0) return { used: await use({ tip, tree: merge.tree }) };
    return { conflicts: merge.conflicts, regeneration: await regenerate(merge, tip) };
  });
  if ('used' in begun) return begun.used;
  const made = await begun.regeneration?.((tree) => use({ tip, tree }));
  if (made) return made;
  throw new NotLanded({
    kind: 'conflict',
    paths: begun.conflicts,
    onto: tip,
    others: await commitsBetween(repository, work.base, tip, begun.conflicts),
  });
}

const MAX_PATHS = 500;

/** As git writes them into a merge of two commits that are named by their hash; into a file with CRLF, with a CR. */
const MARKER = '^(<<<<<<<|>>>>>>>) [0-9a-f]{40,64}\r?$';

/** A failed gate if conflict markers of an earlier merge are left in files that the work changed; null otherwise. */
export async function findMarkers(repository: Place, { tip, tree }: Candidate): Promise<GateResult | null> {
  const changes = await changesBetween(repository, await treeOfCommit(repository, tip), tree);
  const changed = changes.filter(({ mode }) => mode !== GONE);
  if (changed.length === 0) return null;
  const files = (findInFew(repository, changed) ?? (await grep(repository, tree, changed))).map(pathText);
  if (files.length === 0) return null;
  return {
    name: 'conflict markers',
    command: 'Ralph looks for markers of a merge',
    definition: 'conflict markers',
    required: true,
    passed: false,
    exit_code: null,
    duration_ms: 0,
    tail: `These files still have conflict markers: ${files.join(', ')}. Resolve them, then say done again.`,
    log: null,
    tree_hash: tree,
    was_red: false,
  };
}

/** A link has no lines, and a submodule has no content. */
const isFile = ({ mode }: Change): boolean => mode.startsWith('100');

/** Null if they are many or large. */
function findInFew(repository: Place, changed: readonly Change[]): string[] | null {
  const files = changed.filter(isFile);
  const contents = readLooseObjects(
    repository,
    'blob',
    files.map(({ hash }) => hash),
  );
  if (contents === null) return null;
  return files.flatMap(({ path, hash }) => {
    const content = contents.get(hash);
    return content !== undefined && isText(content) && hasMarker(content.toString('latin1')) ? [path] : [];
  });
}

/** Line by line as git sees them: for a regular expression with `m`, a CR alone would end one. */
function hasMarker(text: string): boolean {
  const marker = new RegExp(MARKER);
  return text.split('\n').some((line) => marker.test(line));
}

async function grep(repository: Place, tree: string, changed: readonly Change[]): Promise<string[]> {
  const { stdout } = await git(
    repository,
    [
      ...['grep', '--name-only', '-z', '-I', '--full-name', '-E', '-e', MARKER, tree],
      // Arguments are UTF-8 and have a limit; otherwise git looks through the whole tree.
      ...(changed.length > MAX_PATHS || !changed.every(({ path }) => /^[\x20-\x7e]+$/.test(path))
        ? ['--', ':(top)']
        : ['--', ...changed.map(({ path }) => `:(top,literal)${path}`)]),
    ],
    { answers: [1] },
  );
  const known = new Set(changed.map(({ path }) => path));
  return stdout
    .split('\0')
    .map((name) => name.slice(name.indexOf(':') + 1))
    .filter((path) => known.has(path));
}
