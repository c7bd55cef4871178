// Looks for secrets in what a commit would add: the lines of its files that the previous version does not have.

import { NeedsPerson } from '../../domain/refusal.ts';
import type { SecretHit } from '../../domain/secrets/secret-question.ts';
import { secretQuestion, unansweredHits } from '../../domain/secrets/secret-question.ts';
import { ENVIRONMENT_VALUE, type SecretScanner, secretScanner } from '../../domain/secrets/secret-scanner.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { objectReader } from '../git/read-objects.ts';
import { type Change, GONE } from '../git/tree-changes.ts';
import type { Environment } from '../processes/spawn.ts';

/** A file of the tree that would be committed. `previous`: its object in the commit before; null for a new file. */
export type CommittedFile = { path: string; mode: string; hash: string; previous: string | null };

export type ScanInput = {
  env: Environment;
  readObject: (hash: string) => Promise<Buffer>;
  /** Files whose secrets a person has declared harmless in the configuration. */
  isAllowed?: (path: string) => boolean;
};

/** A link to another repository: git stores its commit and no content. */
const SUBMODULE = '160000';
/** Git checks as many bytes to decide whether a file is text. */
const TEXT_PROBE_BYTES = 8_000;

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
  const known = new Set(before === null || !isText(before) ? [] : before.toString('utf8').split('\n'));
  return scanner.inText(content.toString('utf8'), (line) => !known.has(line));
}

const isText = (content: Buffer): boolean => !content.subarray(0, TEXT_PROBE_BYTES).includes(0);

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
  const hits = await scanSecrets(files, { env: place.env, readObject, isAllowed: await allowed() });
  if (hits.length === 0) return;
  const open = unansweredHits(hits, await questions(task_id));
  if (open.length > 0) throw new NeedsPerson(secretQuestion(open));
}
