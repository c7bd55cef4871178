// Why a run ends, with the exit code and the one sentence that says what to do next.
import type { Config } from '../domain/config.ts';
import type { QueueStatus } from '../queue/status.ts';
import type { AgentEnd } from './run-agent.ts';

export type Stop = {
  reason: 'finished' | 'waiting' | 'stagnated' | 'limit' | 'unusable' | 'stopped' | 'enough';
  exit_code: 0 | 10 | 11 | 12 | 13 | 130;
  sentence: string;
  /** When it makes sense to go on by itself; null where a person has to do something first. */
  resume_at: number | null;
};

/** The reasons a person has to deal with. */
const stopped = (stop: Omit<Stop, 'resume_at'>): Stop => ({ ...stop, resume_at: null });

export type StopInput = {
  last: AgentEnd | null;
  spent: { sessions: number; cost_usd: number; unchanged: number };
  limits: { sessions: number; budget_usd: number };
  stop: { after: AbortSignal; now: AbortSignal };
  config: Pick<Config, 'agent' | 'limits'>;
  /** Until when the agent's usage is limited, as far as anybody knows; null where it is not. */
  limited_until: number | null;
};

export function stopAfter({ last, spent, limits, stop, config, limited_until }: StopInput): Stop | null {
  if (stop.after.aborted || stop.now.aborted)
    return stopped({
      reason: 'stopped',
      exit_code: 130,
      sentence: 'Stopped by you; ralph run goes on where it was.',
    });
  const unusable = last === null ? null : unusableSentence(last, config.agent);
  if (unusable !== null) return stopped({ reason: 'unusable', exit_code: 13, sentence: unusable });
  if (last?.fault === 'not_trusted')
    return stopped({
      reason: 'waiting',
      exit_code: 10,
      sentence:
        'What this project wants to run has changed since it was allowed; look at it with ralph trust, then run ralph run again.',
    });
  if (limited_until !== null)
    return {
      reason: 'limit',
      exit_code: 12,
      sentence: `The agent has reached its usage limit; run ralph run again after ${new Date(limited_until).toISOString()}, or with --wait. The task was not charged.`,
      resume_at: limited_until,
    };
  if (spent.cost_usd >= limits.budget_usd)
    return stopped({
      reason: 'limit',
      exit_code: 12,
      sentence: `The budget of $${limits.budget_usd.toFixed(2)} is spent; ralph run --budget N gives another one.`,
    });
  if (spent.unchanged >= config.limits.stagnation)
    return stopped({
      reason: 'stagnated',
      exit_code: 11,
      sentence: `${spent.unchanged} sessions in a row changed nothing; look at what they said: ralph list, then ralph show ID.`,
    });
  if (spent.sessions >= limits.sessions)
    return stopped({
      reason: 'enough',
      exit_code: 0,
      sentence: `${spent.sessions} of at most ${limits.sessions} sessions are done.`,
    });
  return null;
}

function unusableSentence({ fault, error }: AgentEnd, agent: string): string | null {
  if (error !== null)
    return `The agent "${agent}" cannot be started (${error}); install it, or choose another in .ralph/config.yaml.`;
  if (fault === 'not_logged_in')
    return `The agent "${agent}" is not logged in; log in with it once, then run ralph run again.`;
  if (fault === 'mcp_lost')
    return `The agent "${agent}" could not reach Ralph's MCP server; ralph doctor looks for the reason.`;
  return null;
}

/** Everything is done, or only a person can go on. */
export function nothingReady({ counts, questions, due }: QueueStatus): Stop {
  const open = counts.pending + counts.needs_input + counts.blocked + counts.failed + counts.draft;
  if (open === 0)
    return stopped({ reason: 'finished', exit_code: 0, sentence: 'Every task is done or skipped.' });
  if (due !== null)
    return {
      reason: 'limit',
      exit_code: 12,
      sentence: `Nothing may be started before ${new Date(due).toISOString()}; run ralph run again then, or with --wait.`,
      resume_at: due,
    };
  return stopped({
    reason: 'waiting',
    exit_code: 10,
    sentence: `Nothing is ready: ${needs(counts, questions.length)}`,
  });
}

function needs(counts: QueueStatus['counts'], questions: number): string {
  const parts = [
    ...(questions > 0 ? [`${questions} open questions (ralph status, then ralph answer)`] : []),
    ...(counts.failed > 0 ? [`${counts.failed} failed (ralph list --status failed, then ralph retry)`] : []),
    ...(counts.blocked > 0 ? [`${counts.blocked} blocked (ralph why ID)`] : []),
    ...(counts.draft > 0 ? [`${counts.draft} drafts (ralph approve)`] : []),
    ...(counts.pending > 0 ? [`${counts.pending} that wait for those`] : []),
  ];
  return `${parts.join(', ')}.`;
}
