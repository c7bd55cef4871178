// What the gates say before anybody has touched the tree: a test that was broken already is nobody's fault, and should be known.
import { failedRequired, type GateResult } from '../domain/sessions/gate.ts';
import type { Queue } from '../queue/queue.ts';
import { saveGateResults } from '../queue/sessions/gate-results.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { addComment } from '../queue/tasks/comment.ts';
import type { SupervisorMachine } from './effects.ts';
import type { Rules } from './tampering.ts';

/** `red`: the required gates that fail already. Run only where nobody knows: each session's gates are the baseline of the next. */
export async function takeBaseline(
  queue: Queue,
  machine: Pick<SupervisorMachine, 'runBaseline'>,
  rules: Rules,
  { task, session }: Claim,
  /** Gates that may stay red. */
  accepted: readonly string[],
): Promise<{ red: GateResult[]; hasRun: boolean }> {
  if ((await rules.bent(task.id)) !== null) return { red: [], hasRun: false };
  const { ran, all } = await machine.runBaseline({ task, session });
  if (ran.length > 0) await saveGateResults(queue, { session, results: ran, baseline: true });
  // Once: a later session has it among the comments.
  const red = session.token === 1 ? failedRequired(all) : [];
  if (red.length > 0)
    await addComment(queue, task.id, red.map((gate) => redText(gate, accepted)).join('\n\n'));
  return { red, hasRun: ran.length > 0 };
}

function redText({ name, command, tail }: GateResult, accepted: readonly string[]): string {
  const so = accepted.includes(name)
    ? 'which was accepted: leave that alone unless the task is about it'
    : 'and it must pass before the task is done';
  return `Before this task began the gate ${name} (${command}) failed already, ${so}:\n${tail}`;
}
