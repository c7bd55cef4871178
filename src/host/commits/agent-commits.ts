// Checks the agent's own commits. With `commit: agent` the agent commits its work, and Ralph verifies that it did.
import { NeedsPerson } from '../../domain/refusal.ts';
import { headCommit, isAncestor, treeOfCommit } from '../git/git.ts';
import type { Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { movesSince } from '../work/branch.ts';
import { commitOrNull } from '../work/persons-changes.ts';
import { readBase } from '../work/session-base.ts';
import { requireNoSecrets, type SecretRules } from './scan-secrets.ts';
import type { Proven } from './task-commit.ts';

/** The commit that holds the proven work; null if nothing changed. */
export async function findAgentCommit(
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

/**
 * Ralph cannot undo the agent's commits once a person has committed in the same session. Asks the person if such a commit holds
 * their own uncommitted changes.
 */
export async function requireNoPersonsChanges(
  place: Place,
  { session_id, task_id }: { session_id: string; task_id: number },
): Promise<void> {
  const moves = (await movesSince(place, session_id)) ?? [];
  const [first] = moves;
  const base = await readBase(place, session_id);
  const head = await headCommit(place);
  if (first === undefined || base === null || head === null || !moves.some(({ by }) => by === 'person'))
    return;
  const begun = await treeOfCommit(place, commitOrNull(first.from));
  const open = new Map(
    (await changesBetween(place, begun, base.tree)).map(({ path, old_hash }) => [path, old_hash]),
  );
  for (const { from, to } of moves.filter(({ by }) => by === 'agent')) {
    if (open.size === 0 || !(await isAncestor(place, to, head))) continue;
    const [before, after] = [await treeOfCommit(place, commitOrNull(from)), await treeOfCommit(place, to)];
    // If the person has committed the file before, the agent's commit holds only the agent's changes.
    const found = (await changesBetween(place, before, after)).find(
      ({ path, old_hash }) => open.get(path) === old_hash,
    );
    if (found !== undefined)
      throw new NeedsPerson(
        `The agent of task ${task_id} committed ${pathText(found.path)} with your changes (${to.slice(0, 7)}), and Ralph undoes no commit once you have made one, too. Keep it or take it back with git rebase; then answer this question to try the task again.`,
      );
  }
}
