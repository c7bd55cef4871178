import { NeedsPerson } from '../../domain/refusal.ts';
import { secretQuestion, unanswered } from '../../domain/secrets/secret-question.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { objectReader } from '../git/read-objects.ts';
import { type Change, GONE } from '../git/tree-changes.ts';
import { scanSecrets } from './scan-secrets.ts';

/** What a person has said of secrets so far. */
export type SecretRules = {
  /** The questions of a task, with their answers. */
  questions(task_id: number): Promise<readonly { question: string; answer: string | null }[]>;
  /** Of which files the person need not be asked. */
  allowed(): Promise<(path: string) => boolean>;
};

/** A secret in a commit is out of reach of everyone who would take it back: the person is asked before. */
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
  const open = unanswered(hits, await questions(task_id));
  if (open.length > 0) throw new NeedsPerson(secretQuestion(open));
}
