// Looks for secrets in what a commit would add: the lines of its files that the previous version does not have.

import { NeedsPerson } from '../../domain/refusal.ts';
import { ENVIRONMENT_VALUE, type SecretScanner, secretScanner } from '../../domain/secrets/secret-scanner.ts';
import { isText } from '../git/loose-objects.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { objectReader } from '../git/read-objects.ts';
import { type Change, GONE } from '../git/tree-changes.ts';
import type { Environment } from '../processes/spawn.ts';
import { addIncludedSecrets } from '../slots/include-files.ts';

/** A file of the tree that would be committed. `previous`: its object in the commit before; null for a new file. */
export type CommittedFile = { path: string; mode: string; hash: string; previous: string | null };

type ScanInput = {
  env: Environment;
  readObject: (hash: string) => Promise<Buffer>;
  /** Files whose secrets a person has declared harmless in the configuration. */
  isAllowed?: (path: string) => boolean;
};

/** A link to another repository: git stores its commit and no content. */
const SUBMODULE = '160000';

export async function scanSecrets(
  files: readonly CommittedFile[],
  { env, readObject, isAllowed = () => false }: ScanInput,
): Promise<SecretHit[]> {
  const scanner = secretScanner(env);
  const hits: SecretHit[] = [];
  // One after another: files may be large.
  for (const file of files) {
    if (file.mode === SUBMODULE || file.hash === file.previous || isAllowed(file.path)) continue;
    const content = await readObject(file.hash);
    const before = file.previous === null ? null : await readObject(file.previous);
    for (const found of findHits(scanner, content, before)) hits.push({ path: file.path, ...found });
  }
  return hits;
}

function findHits(scanner: SecretScanner, content: Buffer, before: Buffer | null): Omit<SecretHit, 'path'>[] {
  if (!isText(content)) {
    const isNew = scanner.forms.some((form) => content.includes(form) && before?.includes(form) !== true);
    return isNew ? [{ line: null, kind: ENVIRONMENT_VALUE }] : [];
  }
  const earlierLines = new Set(before === null || !isText(before) ? [] : before.toString('utf8').split('\n'));
  return scanner.inText(content.toString('utf8'), (line) => !earlierLines.has(line));
}

/** A person's decisions about secrets so far. */
export type SecretRules = {
  /** The questions of a task, with their answers. */
  questions(task_id: number): Promise<readonly { question: string; answer: string | null }[]>;
  /** Matches files about which Ralph need not ask. */
  allowed(): Promise<(path: string) => boolean>;
};

/** A secret is hard to remove once it is committed, so Ralph asks the person first. */
export async function requireNoSecrets(
  place: Place,
  task_id: number,
  changes: readonly Change[],
  { questions, allowed }: SecretRules,
): Promise<void> {
  const files = changes
    .filter(({ mode }) => mode !== GONE)
    .map(({ path, mode, hash, old_mode, old_hash }) => {
      return { path: pathText(path), mode, hash, previous: old_mode === GONE ? null : old_hash };
    });
  const readObject = await objectReader(
    place,
    files.flatMap(({ hash, previous }) => (previous === null ? [hash] : [hash, previous])),
  );
  // The agent may have read such a file in the checkout, after the person changed it.
  await addIncludedSecrets(place);
  const hits = await scanSecrets(files, { env: place.env, readObject, isAllowed: await allowed() });
  if (hits.length === 0) return;
  const open = unansweredHits(hits, await questions(task_id));
  if (open.length > 0) throw new NeedsPerson(secretQuestion(open));
}

// The question about a secret that a commit would contain, and what the person's answer allows.

/** `line` is null in a binary file. */
type SecretHit = { path: string; line: number | null; kind: string };

type AnsweredQuestion = { question: string; answer: string | null };

/** The question names at most this many. */
const MAX_NAMED = 5;

/** Never contains the value, because the question goes into the database, the report and the next prompt. */
export function secretQuestion(hits: readonly SecretHit[]): string {
  const named = hits.slice(0, MAX_NAMED).map(hitText).join('; ');
  const more = hits.length > MAX_NAMED ? ` and ${hits.length - MAX_NAMED} more` : '';
  return `The commit would hold what looks like a secret: ${named}${more}. Answer "allow" to commit it as it is, or say what the agent should do instead.`;
}

const hitText = ({ path, line, kind }: SecretHit): string =>
  `${kind} in ${JSON.stringify(path)}${line === null ? '' : ` at line ${line}`}`;

/** The hits that no answer allows yet. An answer allows the kind of secret in the file, on any line. */
export function unansweredHits(
  hits: readonly SecretHit[],
  questions: readonly AnsweredQuestion[],
): SecretHit[] {
  const allowed = questions.filter(({ answer }) =>
    /^\W*allow(?:ed)?(?: (?:it|this|that|them))?\W*$/i.test(answer ?? ''),
  );
  return hits.filter(
    ({ kind, path }) =>
      !allowed.some(({ question }) => question.includes(`${kind} in ${JSON.stringify(path)}`)),
  );
}
