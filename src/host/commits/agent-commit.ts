// With `commit: agent` the agent commits its work itself. Its word for that counts as little as its word for "done".
import { NeedsPerson } from '../../domain/refusal.ts';
import { headCommit, treeOfCommit } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { readBase } from '../work/session-base.ts';
import { requireNoSecrets, type SecretRules } from './require-no-secrets.ts';
import type { Proven } from './task-commit.ts';

/** The commit that holds the proven work; null where nothing changed. */
export async function commitOfAgent(
  place: Place,
  { session, task }: { session: { id: string; base_commit: string | null }; task: { id: number } },
  proven: Proven,
  secrets: SecretRules,
): Promise<string | null> {
  const base = await readBase(place, session.id);
  const changes = base === null ? [] : await changesBetween(place, base.tree, proven.tree);
  await requireNoSecrets(place, task.id, changes, secrets);
  const head = await headCommit(place);
  const committed = new Map(
    (await changesBetween(place, await treeOfCommit(place, head), proven.tree)).map((change) => [
      change.path,
      change,
    ]),
  );
  const open = changes.find(({ path }) => committed.has(path));
  if (open !== undefined)
    throw new NeedsPerson(
      `Task ${task.id} is proven with ${pathText(open.path)}, but the agent has not committed that, and "commit: agent" leaves it to the agent. Commit it yourself or say what the agent should do, as the answer to this question.`,
    );
  return changes.length === 0 && head === session.base_commit ? null : head;
}
