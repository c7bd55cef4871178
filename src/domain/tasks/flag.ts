import type { FLAG_CATEGORIES, FLAG_SEVERITIES, Signal, SUGGESTION_KINDS } from '../sessions/signal.ts';

export type Severity = (typeof FLAG_SEVERITIES)[number];

/** What a session left for a person to look at: a problem, or a suggestion that made no task. */
export type Flag = FlagContent & {
  id: number;
  task_id: number;
  created: number;
  /** When a person closed it, and what they said then. */
  closed: number | null;
  note: string | null;
};

type FlagContent = {
  severity: Severity;
  category: (typeof FLAG_CATEGORIES)[number] | (typeof SUGGESTION_KINDS)[number];
  what: string;
  why: string | null;
};

/** Null for a signal that is not for a person to close: a suggested task becomes a draft. */
export function flagContent(signal: Signal): FlagContent | null {
  if (signal.verb === 'flag') {
    const { severity, category, what } = signal;
    return { severity, category, what, why: null };
  }
  if (signal.verb !== 'suggest' || signal.kind === 'new_task') return null;
  return { severity: 'info', category: signal.kind, what: signal.what, why: signal.why };
}

export const flagText = ({ category, what, why }: FlagContent): string =>
  `${category.replaceAll('_', ' ')}: ${what}${why === null ? '' : ` (why: ${why})`}`;

/** Whether its task, unless it is done, waits for a person to close it. */
export const isOpenBlocker = ({ severity, closed }: Pick<Flag, 'severity' | 'closed'>): boolean =>
  severity === 'blocking' && closed === null;
