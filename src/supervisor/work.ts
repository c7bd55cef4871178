// One session of a task: the tree made ready, the agent launched, and what it did to Ralph's own things put back.
import { saveIndex } from '../host/git/saved-index.ts';
import { removeStaleLocks } from '../host/git/stale-lock.ts';
import { takeTree } from '../host/git/work-tree.ts';
import { type OwnFiles, readOwnFiles } from '../host/own-files.ts';
import { isCommand } from '../host/processes/find-executable.ts';
import { openBase } from '../host/work/session-base.ts';
import { findDatabase } from '../queue/queue.ts';
import { catchHindrance } from '../queue/sessions/finish.ts';
import { stopListening } from '../queue/sessions/live-session.ts';
import type { Claim } from '../queue/tasks/claim.ts';
import type { LaunchSpec } from './agent.ts';
import { createEffects, type SessionEffects } from './effects.ts';
import { observeSession } from './observe-session.ts';
import { makeReady, prepare } from './prepare.ts';
import { takeBaseline } from './red-baseline.ts';
import { restoreState } from './restore.ts';
import type { Run } from './run.ts';
import { runAgent } from './run-agent.ts';
import { budgetLeft, type RunTotals } from './run-totals.ts';
import { type AgentEnd, NOT_RUN } from './session-end.ts';

export type Worked = {
  end: AgentEnd;
  /** How the work tree was when the agent was launched; null where it never was, or where there is no git. */
  tree: string | null;
  /** Ralph's own files of the project before the session. */
  files: OwnFiles;
  began: number;
  effects: SessionEffects;
};

/** What fails before or after the agent's own work is told by the end; the session is finished as any other. */
export async function work(run: Run, totals: RunTotals, claimed: Claim): Promise<Worked> {
  const { input, place } = run;
  const left_usd = budgetLeft(input.limits, totals);
  const worked: Worked = {
    end: NOT_RUN,
    tree: null,
    files: readOwnFiles(place.root),
    began: performance.now(),
    effects: createEffects(run, left_usd),
  };
  const hindrance = await catchHindrance(async () => {
    const ready = await openTask(run, totals, claimed, worked.effects);
    if ('fault' in ready) {
      worked.end = { ...NOT_RUN, ...ready };
      return;
    }
    const spec = await prepare(input, claimed, left_usd);
    worked.tree = ready.tree ?? (await takeTree(place))?.tree ?? null;
    worked.end = await launch(run, claimed, spec);
  });
  if (hindrance !== null) worked.end = { ...NOT_RUN, fault: 'machine_failed', hindrance };
  return worked;
}

type NotStarted = Pick<AgentEnd, 'fault'> & Partial<Pick<AgentEnd, 'detail'>>;

/** Makes the work tree ready and takes the baseline. `tree`: null where gates may have left something in it. */
async function openTask(
  { input, place, agent, tampering, elsewhere }: Run,
  { tree: last }: RunTotals,
  claimed: Claim,
  { effects }: SessionEffects,
): Promise<{ tree: string | null } | NotStarted> {
  const isChanged = await elsewhere.beforeSession();
  const tree = await makeReady(input, claimed, isChanged ? null : last);
  if (!(await tampering.areAllowed())) return { fault: 'not_trusted' };
  // Before the gates are run for it: those may take minutes.
  if (!isCommand(agent.executable, place.root, input.env['PATH']))
    return { fault: 'cannot_start', detail: 'ENOENT' };
  // A person changed the rules; what the task itself changed is dealt with when it says done.
  if (tree !== null && (await tampering.bent(claimed.task.id)) !== null) return { fault: 'not_trusted' };
  const { accepted } = input.baseline;
  const { red, hasRun } = await takeBaseline(input.queue, effects, tampering, claimed, accepted);
  if (red.length > 0) input.tell({ kind: 'red_before', claim: claimed, gates: red });
  if (input.stop.after.aborted) return { fault: 'supervisor_killed' };
  return { tree: hasRun ? null : tree };
}

async function launch(run: Run, claimed: Claim, spec: LaunchSpec): Promise<AgentEnd> {
  const { input, place, agent, writes } = run;
  const { queue, env, config } = input;
  const { id: session_id, started } = claimed.session;
  const task_id = claimed.task.id;
  const replacements = await findDatabase(queue);
  input.tell({ kind: 'started', claim: claimed, model: spec.model, max_turns: spec.max_turns });
  const listener = observeSession(input, claimed);
  let deaf: Promise<void> = Promise.resolve();
  await saveIndex(place, session_id);
  await openBase(place, { session_id, task_id });
  const end = await runAgent(agent, spec, {
    env,
    limits: config.limits,
    stop: input.stop.now,
    works: { task_id, stateDir: place.stateDir },
    onObservation: listener.hear,
    onEnding: () => {
      // Where this cannot be written, the finish closes the session.
      deaf = stopListening(queue, session_id, queue.now()).catch(() => {});
    },
    // Not on the way from one session to the next, which is what people wait for.
    onStart: () => writes.began(session_id, spec.learnings),
  });
  await deaf;
  await restoreState(input, claimed, spec, replacements);
  await Promise.all([listener.heard(), writes.given()]);
  // A git of the agent's that was ended with it.
  await removeStaleLocks(place, started);
  return end;
}
