// Detects changes to what judges a session: gates, hooks, and scripts behind them. No session may change its own judge,
// nor make the next session execute what it wrote.

import { type OwnFiles, putBackMissing, readOwnFiles } from '../../host/own-files.ts';
import { writePromptFiles } from '../../host/session-folder.ts';
import { findDatabase } from '../../queue/queue.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { LaunchSpec } from '../agents/agent.ts';
import type { SupervisorInput, Trust } from '../input.ts';

export type TamperDetector = {
  /** Whether a person has allowed what Ralph would execute. */
  isAllowed(): Promise<boolean>;
  /**
   * What changed since, in words for a person; null if nothing did. Trust granted during the session is ignored: the agent may
   * have granted it.
   */
  findTampering(task_id: number): Promise<string | null>;
  /**
   * The same for a folder in which Ralph itself checked out files, compared with what a person trusted before the run. Settings
   * that only the person's checkout has do not count.
   */
  findTamperingIn(folder: string): Promise<Tampering | null>;
  /** What an agent that starts in this folder would execute, besides what a person trusted before the run. */
  findPlantedIn(folder: string): Promise<readonly string[]>;
};

/** What runs in place of what a person trusted. */
type Tampering = { added: readonly string[]; gone: readonly string[] };

/** `isPersons`: the person is at the client, so what they trust meanwhile judges its session. In a run it counts from the next on. */
export async function watchForTampering(
  { trust }: Pick<SupervisorInput, 'trust'>,
  { isPersons = false }: { isPersons?: boolean } = {},
): Promise<TamperDetector> {
  const first = await trust();
  let judging = first;
  return {
    isAllowed: async () => {
      const now = await trust();
      if (isPersons && now.trusted) judging = now;
      return now.executable.join('\n') === judging.executable.join('\n');
    },
    findTampering: async (task_id) => {
      const now = await trust();
      return now.lines.join('\n') === judging.lines.join('\n') ? null : tamperingText(judging, now, task_id);
    },
    findTamperingIn: async (folder) => {
      const now = await trust(folder);
      const added = now.lines.filter((line) => !first.lines.includes(line));
      const rules = first.lines.filter((line) => !first.executable.includes(line));
      const gone = rules.filter((line) => !now.lines.includes(line));
      return added.length === 0 && gone.length === 0 ? null : { added, gone };
    },
    findPlantedIn: async (folder) => {
      const { executable } = await trust(folder);
      return executable.filter((line) => !first.executable.includes(line));
    },
  };
}

function tamperingText(first: Trust, now: Trust, task_id: number): string {
  const added = now.lines.filter((line) => !first.lines.includes(line));
  const gone = first.lines.filter((line) => !now.lines.includes(line));
  return `The rules that judge the work were changed without your permission: ${changeText({ added, gone })}. Accept it with ralph trust, or put it back; then ralph retry ${task_id}.`;
}

const changeText = ({ added, gone }: Tampering): string =>
  [
    ...(added.length > 0 ? [`now "${added.join('", "')}"`] : []),
    ...(gone.length > 0 ? [`before "${gone.join('", "')}"`] : []),
  ].join('; ') || 'it differs from what was trusted';

/** For a task that worked in a slot: its change is in no checkout of the person. */
export const slotTamperingText = (tampering: Tampering, task_id: number): string =>
  `Task ${task_id} changed the rules that judge it: ${changeText(tampering)}. If you want that, make the change in your checkout (ralph diff ${task_id} shows it), commit it and run ralph trust; then ralph retry ${task_id}.`;

export const untrustedText = (tampering: Tampering): string =>
  `The commit that sessions start from would run other commands than those you trusted in your checkout: ${changeText(tampering)}. Commit what you changed; or run ralph trust and start ralph run again. Then answer this question to try the task again.`;

export const plantedText = (planted: readonly string[], task_id: number): string =>
  `The files that task ${task_id} starts from would make its agent run what you have not trusted: "${planted.join('", "')}". If you want that, make the change in your checkout (ralph diff ${task_id} shows earlier work), commit it and run ralph trust; otherwise drop that work with git update-ref -d refs/ralph/task-${task_id}. Then answer this question.`;

const CONFIG = '.ralph/config.yaml';

/** Puts back Ralph's own files that the agent removed. A configuration that it changed has no effect in this run. */
export async function restoreOwnFiles(
  { root, tell }: Pick<SupervisorInput, 'root' | 'tell'>,
  claim: Claim,
  before: OwnFiles,
): Promise<void> {
  const files = await putBackMissing(root, before);
  if (files.length > 0) tell({ kind: 'put_back', claim, files });
  const [then, now] = [before.get(CONFIG), readOwnFiles(root).get(CONFIG)];
  if (then !== undefined && now !== undefined && !now.equals(then)) tell({ kind: 'rules_changed', claim });
}

/** A session that removed the repository removed Ralph's state with it: restores the queue and the session's prompt. */
export async function restoreState(
  { queue, tell }: Pick<SupervisorInput, 'queue' | 'tell'>,
  claim: Claim,
  { folder, system, prompt }: LaunchSpec,
  /** How often the database had been replaced before the session. */
  replacements: number,
): Promise<void> {
  if ((await findDatabase(queue)) === replacements) return;
  await writePromptFiles(folder, { system, prompt });
  tell({ kind: 'state_restored', claim });
}
