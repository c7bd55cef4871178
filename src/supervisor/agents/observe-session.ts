// Tells observers what an agent does, and records what it reports by sigils once its output has ended.

import { withProjectPaths } from '../../domain/text/text.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { SupervisorInput } from '../input.ts';
import type { Agent, Observation } from './agent.ts';
import type { AgentEnd } from './session-end.ts';
import { recordReport, SigilListener } from './sigils.ts';

type SessionObserver = {
  observe(observation: Observation): void;
  /** Resolves when what it has reported until now is on disk. Later output reports nothing. */
  recorded(): Promise<Partial<Pick<AgentEnd, 'next_model' | 'gave_up'>>>;
};

export function observeSession(
  { queue, root, tell }: Pick<SupervisorInput, 'queue' | 'root' | 'tell'>,
  agent: Pick<Agent, 'reportsBySigils'>,
  claim: Claim,
): SessionObserver {
  const listener = agent.reportsBySigils ? new SigilListener() : null;
  const task_id = claim.task.id;
  let recording: ReturnType<SessionObserver['recorded']> | null = null;
  const recordSigils: SessionObserver['recorded'] = async () => {
    if (listener === null) return {};
    const report = listener.report(task_id);
    const notices = await recordReport(queue, { session_id: claim.session.id, task_id }, report);
    for (const why of notices) tell({ kind: 'not_believed', claim, why });
    return { next_model: report.next_model, gave_up: report.gaveUp };
  };
  return {
    observe: (observation) => {
      if (!SHOWN.includes(observation.kind)) return;
      tell({ kind: 'observed', claim, observation: forPeople(observation, root) });
      if (observation.kind !== 'turn' || recording !== null) return;
      const { words, answer } = observation;
      if (answer === null) listener?.push(words ?? '');
      else listener?.hear(words ?? '');
    },
    recorded: () => {
      recording ??= recordSigils();
      return recording;
    },
  };
}

/** People see steps as actions of a turn. */
const SHOWN: readonly Observation['kind'][] = [
  ...(['connected', 'fault', 'retry', 'failure', 'limited', 'turn', 'result'] as const),
];

/** Shortens paths to project paths and drops the text, which is in the stream. */
function forPeople(observation: Observation, root: string): Observation {
  if (observation.kind !== 'turn') return observation;
  const { words: _, action, ...turn } = observation;
  return { ...turn, action: action === null ? null : withProjectPaths(action, root) };
}
