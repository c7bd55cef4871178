import type { SessionEnd, SessionLimit } from './session.ts';

const CLOSING_VERBS = ['done', 'partial', 'stuck'] as const;
export type ClosingVerb = (typeof CLOSING_VERBS)[number];

export const FLAG_SEVERITIES = ['info', 'warning', 'blocking'] as const;
export const FLAG_CATEGORIES = [
  'bug',
  'stale',
  'contradiction',
  'ambiguity',
  'overlap',
  'performance',
  'security',
  'incomplete_prior',
] as const;
export const LEARNING_KINDS = ['discovery', 'decision', 'convention', 'gotcha', 'architecture'] as const;
export const LEARNING_SCOPES = ['project', 'feature', 'task'] as const;
export const SUGGESTION_KINDS = ['new_task', 'split', 'refactor', 'alternative', 'deprecate'] as const;
export const BLOCK_KINDS = ['upstream_task', 'external'] as const;

/** One call of a verb by the agent. */
export type Signal =
  | { verb: 'done'; summary: string; no_change_reason?: string }
  | { verb: 'partial'; summary: string; remaining: string }
  | { verb: 'stuck'; reason: string }
  | { verb: 'ask'; question: string; blocking: boolean; options?: readonly string[]; preferred?: string }
  | {
      verb: 'flag';
      what: string;
      severity: (typeof FLAG_SEVERITIES)[number];
      category: (typeof FLAG_CATEGORIES)[number];
    }
  | {
      verb: 'learned';
      text: string;
      kind: (typeof LEARNING_KINDS)[number];
      rationale?: string;
      scope: (typeof LEARNING_SCOPES)[number];
    }
  | { verb: 'suggest'; what: string; kind: (typeof SUGGESTION_KINDS)[number]; why: string; feature?: string }
  | { verb: 'blocked'; on: string; kind: (typeof BLOCK_KINDS)[number]; detail?: string };

export type Verb = Signal['verb'];
export type SignalOf<V extends Verb> = Extract<Signal, { verb: V }>;
export type Closing = SignalOf<ClosingVerb>;

export const isVerb =
  <V extends Verb>(verb: V) =>
  (signal: Signal): signal is SignalOf<V> =>
    signal.verb === verb;

export const isClosing = (signal: Signal): signal is Closing =>
  (CLOSING_VERBS as readonly string[]).includes(signal.verb);

/** Null unless the closing verb is `done`. */
export const doneSummary = (closing: Closing | null): string | null =>
  closing?.verb === 'done' ? closing.summary : null;

/** The last closing verb wins: an agent that calls `done` after `partial` continued its work. */
export function lastClosing(signals: readonly Signal[]): Closing | null {
  return signals.findLast(isClosing) ?? null;
}

export function signalText(signal: Signal): string {
  switch (signal.verb) {
    case 'done':
      return signal.no_change_reason === undefined
        ? signal.summary
        : `${signal.summary} No change, because: ${signal.no_change_reason}`;
    case 'partial':
      return `${signal.summary} Remaining: ${signal.remaining}`;
    case 'stuck':
      return signal.reason;
    case 'ask':
      return `${signal.question}${signal.blocking ? ' (blocking)' : ''}`;
    case 'flag':
      return `${signal.severity} ${signal.category}: ${signal.what}`;
    case 'learned':
      return `${signal.kind}: ${signal.text}`;
    case 'suggest':
      return `${signal.kind}: ${signal.what} Why: ${signal.why}`;
    case 'blocked':
      return `${signal.kind}: ${signal.on}${signal.detail === undefined ? '' : `: ${signal.detail}`}`;
  }
}

// What a session means that ended without a closing verb.

/** A session that ends so made no progress, even if files have changed. */
const WITHOUT_PROGRESS: readonly SessionLimit[] = ['idle', 'repeats'];

/** Null for faults of the infrastructure, because they say nothing about the work. */
export function inferClosing({
  end,
  last_words = null,
}: {
  end: SessionEnd;
  last_words?: string | null;
}): Closing | null {
  if (end.kind === 'infrastructure') return null;
  if (end.kind === 'limit' && !WITHOUT_PROGRESS.includes(end.limit) && end.changed_files) {
    return {
      verb: 'partial',
      summary: `The session reached its ${end.limit} limit and left changed files in the work tree.${lastWords(last_words)}`,
      remaining: 'Not known: look at the changes first, then go on.',
    };
  }
  return { verb: 'stuck', reason: `${silentEnd(end)}${lastWords(last_words)}` };
}

function silentEnd(end: Exclude<SessionEnd, { kind: 'infrastructure' }>): string {
  if (end.kind === 'exited')
    return `It ended without a closing verb (${end.exit_code === null ? 'killed' : `exit code ${end.exit_code}`}).`;
  if (end.limit === 'idle') return 'It was silent for too long, and was ended.';
  if (end.limit === 'repeats')
    return `It repeated a failing step until it was ended: ${end.detail ?? 'not known which'}.`;
  return `It reached its ${end.limit} limit and had changed no file.`;
}

const lastWords = (words: string | null = null): string => (words === null ? '' : ` Last words: ${words}`);
