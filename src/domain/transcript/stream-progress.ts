// How far a session has come, folded from its stream line by line.
import { entryLine } from './entry.ts';
import { type Json, numberOf, objectOf, textOf } from './stream-json.ts';
import type { Entry } from './transcript.ts';

export type Progress = {
  /** Counted as a run counts them: an answer of several blocks is one. */
  turns: number;
  /** The last thing that it did; words between two actions do not hide it. */
  action: { text: string; at: number } | null;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  /** The message that the last line was part of. */
  answer: string | null;
};

export const NO_PROGRESS: Progress = {
  turns: 0,
  action: null,
  model: null,
  input_tokens: 0,
  output_tokens: 0,
  answer: null,
};

const MAX_ACTION = 200;

/** `at`: when the line was read, where it does not say itself when it was written. */
export function progressAfter(
  before: Progress,
  said: Json | null,
  entries: readonly Entry[],
  at: number,
): Progress {
  const done = entries.findLast(({ kind }) => kind === 'tool' || kind === 'line');
  const action =
    done === undefined
      ? before.action
      : { text: entryLine(done).slice(0, MAX_ACTION), at: timeOf(said) ?? at };
  const started = entries.find((entry) => entry.kind === 'started');
  const model = started === undefined || started.model === '' ? before.model : started.model;
  const isPlain = entries.some(({ kind }) => kind === 'line');
  if (said?.['type'] !== 'assistant')
    return { ...before, action, model, turns: before.turns + (isPlain ? 1 : 0) };
  const message = objectOf(said['message']);
  const answer = textOf(message['id']) || null;
  if (answer !== null && answer === before.answer) return { ...before, action, model };
  const usage = objectOf(message['usage']);
  const inputs = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  return {
    turns: before.turns + 1,
    action,
    model,
    input_tokens: inputs.reduce((sum, name) => sum + numberOf(usage[name]), before.input_tokens),
    output_tokens: before.output_tokens + numberOf(usage['output_tokens']),
    answer,
  };
}

/** When a line was written, where it says so. */
export function timeOf(said: Json | null): number | null {
  const time = Date.parse(textOf(said?.['timestamp']));
  return Number.isNaN(time) ? null : time;
}
