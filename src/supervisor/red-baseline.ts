// Runs the gates before the first session, and before each task. A gate that is red from the start proves nothing about later
// work, so the person decides: repair it first, or accept it.
import { relative } from 'node:path';
import { failedRequired, type GateResult, type KnownGate, latestResults } from '../domain/sessions/gate.ts';
import type { Decision } from '../domain/sessions/settle.ts';
import { isCommand } from '../host/processes/find-executable.ts';
import type { Queue } from '../queue/queue.ts';
import { catchHindrance } from '../queue/sessions/finish.ts';
import { knownGateResults, rateWithFlaky, saveGateResults } from '../queue/sessions/gate-results.ts';
import { addBaselineTask } from '../queue/tasks/add.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import { addComment } from '../queue/tasks/comment.ts';
import { peek } from '../queue/tasks/status.ts';
import { findAgent } from './agents/index.ts';
import type { SupervisorEffects } from './effects.ts';
import type { Ground } from './ground/ground.ts';
import type { SupervisorInput } from './input.ts';
import { chooseTaskAgent } from './sessions/prepare.ts';
import type { TamperDetector } from './sessions/tampering.ts';
import { redBaseline, type Stop, unrepaired } from './stop.ts';

export type BaselineCheck = {
  /** Why the run starts no session; null to go on. Checks once, as soon as the tree holds no unfinished work. */
  check(): Promise<Stop | null>;
  /** The results of that check, which are stored with no session yet. */
  knownGates(tree_hash: string): readonly KnownGate[];
  /** The task that repairs the baseline, while it has to come first. */
  repairTask(): number | null;
  settled(task_id: number, status: Decision['status']): void;
};

export function createBaselineCheck(
  input: SupervisorInput & { tellOnce: SupervisorInput['tell'] },
  tampering: TamperDetector,
  ground: Pick<Ground, 'kind' | 'runBaseline'>,
  run_id: number,
): BaselineCheck {
  const { queue, root, env, config, baseline, tell } = input;
  let isChecked = config.gates.length === 0;
  let known: readonly KnownGate[] = [];
  let repair: { task_id: number; gates: readonly string[] } | null = null;
  let failure: Stop | null = null;

  const decide = async (red: readonly GateResult[]): Promise<Stop | null> => {
    const gates = red.map(({ name }) => name);
    tell({ kind: 'red_baseline', gates: red.map((gate) => withPlainPath(gate, root)) });
    if (!baseline.fix) return redBaseline(gates, baseline.accepted, ground.kind);
    repair = { task_id: await addBaselineTask(queue, red), gates };
    return null;
  };

  const gatesNow = (): Promise<KnownGate[] | null> =>
    ground.runBaseline({
      run_id,
      knownGates: (tree) => knownGateResults(queue, tree),
      // Stopping them loses no work, so the first stop request ends them.
      stop: input.stop.after,
      onGate: (step) => tell({ kind: 'gate', phase: 'before', claim: null, step }),
      onGateChanges: (changes) => input.tellOnce({ kind: 'gate_changed_files', ...changes }),
      onFlaky: async (name) => {
        const { red, runs } = await rateWithFlaky(queue, name);
        tell({ kind: 'flaky_gate', claim: null, gate: name, red, runs });
      },
    });

  // If git fails, the next session reports it.
  const isAllowed = async (): Promise<boolean> => {
    let allowed = false;
    await catchHindrance(async () => {
      allowed = await tampering.isAllowed();
    });
    return allowed;
  };

  return {
    check: async () => {
      if (failure !== null || isChecked) return failure;
      const next = await peek(queue);
      if (next === null || !(await isAllowed())) return null;
      // Before the gates run: they may take minutes.
      const { executable } = findAgent(config, (await chooseTaskAgent(input, next)).agent);
      if (!isCommand(executable, root, env['PATH'])) return null;
      let results: KnownGate[] | null = null;
      // If git fails, the next session reports it, and this check runs again before the session after that.
      await catchHindrance(async () => {
        results = await gatesNow();
      });
      known = results ?? [];
      isChecked = results !== null;
      const red = latestResults(failedRequired(known)).filter(
        ({ name }) => !baseline.accepted.includes(name),
      );
      return red.length === 0 ? null : decide(red);
    },
    knownGates: (tree_hash) => known.filter((gate) => gate.tree_hash === tree_hash),
    repairTask: () => repair?.task_id ?? null,
    settled: (task_id, status) => {
      if (task_id !== repair?.task_id || status === 'pending') return;
      if (status !== 'done') failure = unrepaired(repair);
      repair = null;
    },
  };
}

const withPlainPath = (gate: GateResult, root: string): GateResult => ({
  ...gate,
  log: gate.log === null ? null : relative(root, gate.log),
});

/**
 * Runs the gates before an agent touches the tree, so that it knows which tests were broken already. `red`: the required gates
 * that fail. Gates with a known result do not run: each session's gates are the baseline of the next.
 */
export async function takeBaseline(
  queue: Queue,
  effects: Pick<SupervisorEffects, 'runBaseline'>,
  claim: Claim,
  /** Gates that may stay red. */
  accepted: readonly string[],
): Promise<GateResult[]> {
  const { task, session } = claim;
  const { ran, all } = await effects.runBaseline({ task, session });
  await saveGateResults(queue, { session, results: ran, baseline: true });
  // Only in the first session: later ones find it among the comments.
  const red = session.token === 1 ? failedRequired(all) : [];
  if (red.length > 0)
    await addComment(queue, task.id, red.map((gate) => redText(gate, accepted)).join('\n\n'));
  return red;
}

function redText({ name, command, tail }: GateResult, accepted: readonly string[]): string {
  const so = accepted.includes(name)
    ? 'which was accepted: leave that alone unless the task is about it'
    : 'and it must pass before the task is done';
  return `Before this task began the gate ${name} (${command}) failed already, ${so}:\n${tail}`;
}
