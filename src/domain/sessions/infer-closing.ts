// What a session means that ended without a closing verb.
import type { SessionEnd, SessionLimit } from './session.ts';
import type { Closing } from './signal.ts';

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
