// With `commit: agent` the agent commits its work itself. Its word for that counts as little as its word for "done".
import { NeedsPerson } from '../../domain/refusal.ts';
import { headCommit, isAncestor, treeOfCommit } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { movesSince } from '../work/branch.ts';
import { orNone } from '../work/persons-changes.ts';
import { readBase } from '../work/session-base.ts';
import { requireNoSecrets, type SecretRules } from './scan-secrets.ts';
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
// Commits of the agent's that Ralph cannot undo, because a person has committed in the same session.

/** Asks the person where such a commit holds what they had changed and not committed. */
export async function requireNoneOfPersons(
  place: Place,
  { session_id, task_id }: { session_id: string; task_id: number },
): Promise<void> {
  const moves = (await movesSince(place, session_id)) ?? [];
  const [first] = moves;
  const base = await readBase(place, session_id);
  const head = await headCommit(place);
  if (first === undefined || base === null || head === null || !moves.some(({ by }) => by === 'person'))
    return;
  const begun = await treeOfCommit(place, orNone(first.from));
  const open = new Map(
    (await changesBetween(place, begun, base.tree)).map(({ path, old_hash }) => [path, old_hash]),
  );
  for (const { from, to } of moves.filter(({ by }) => by === 'agent')) {
    if (open.size === 0 || !(await isAncestor(place, to, head))) continue;
    const [before, after] = [await treeOfCommit(place, orNone(from)), await treeOfCommit(place, to)];
    // Where the person has committed it before, the agent's commit holds only what the agent made of it.
    const found = (await changesBetween(place, before, after)).find(
      ({ path, old_hash }) => open.get(path) === old_hash,
    );
    if (found !== undefined)
      throw new NeedsPerson(
        `The agent of task ${task_id} committed ${pathText(found.path)} with your changes (${to.slice(0, 7)}), and Ralph undoes no commit once you have made one, too. Keep it or take it back with git rebase; then answer this question to try the task again.`,
      );
  }
}
