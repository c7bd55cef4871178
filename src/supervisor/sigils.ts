import type { Signal } from '../domain/sessions/signal.ts';
import { toStorable } from '../domain/text/text.ts';
import type { Queue } from '../queue/queue.ts';
import { record } from '../queue/sessions/record.ts';
import { countOtherOpenTasks } from '../queue/tasks/status.ts';

// What an agent without MCP can say: a tag that stands alone on its line. Anything looser would hear what is only talked about.

export type Sigil =
  | { kind: 'done'; task_id: number | null; no_change_reason?: string }
  | { kind: 'failed'; task_id: number | null }
  | { kind: 'blocked'; reason: string }
  | { kind: 'complete' }
  | { kind: 'failure' }
  | { kind: 'next_model'; model: string };

const FORMS: readonly [RegExp, (first: string, second: string) => Sigil][] = [
  [/^<task-done>\s*#?(\d{1,12})\s*<\/task-done>$/, (id) => ({ kind: 'done', task_id: Number(id) })],
  [
    /^<task-done no-change="([^"]{1,1000})">\s*#?(\d{1,12})\s*<\/task-done>$/,
    (no_change_reason, id) => ({ kind: 'done', task_id: Number(id), no_change_reason }),
  ],
  [/^<task-failed>\s*#?(\d{1,12})\s*<\/task-failed>$/, (id) => ({ kind: 'failed', task_id: Number(id) })],
  [/^<TASK_DONE>$/, () => ({ kind: 'done', task_id: null })],
  [/^<TASK_BLOCKED reason="([^"]{1,1000})">$/, (reason) => ({ kind: 'blocked', reason })],
  [/^<promise>COMPLETE<\/promise>$/, () => ({ kind: 'complete' })],
  [/^<promise>FAILURE<\/promise>$/, () => ({ kind: 'failure' })],
  [/^<next-model>\s*([\w.:-]{1,100})\s*<\/next-model>$/, (model) => ({ kind: 'next_model', model })],
];

export function parseSigil(line: string): Sigil | null {
  const text = line.trim();
  for (const [form, make] of FORMS) {
    const found = form.exec(text);
    if (found !== null) return make(found[1] ?? '', found[2] ?? '');
  }
  return null;
}

/** The model that somebody asks for in their last words; the last one, where there are more. */
export function nextModelIn(text: string): string | null {
  const found = text
    .split('\n')
    .map(parseSigil)
    .findLast((sigil) => sigil?.kind === 'next_model');
  return found?.kind === 'next_model' ? found.model : null;
}
// What a sigil means for the task: the same signals that the verbs leave, recorded as soon as it is heard.

export type Heard = {
  session_id: string;
  task_id: number;
  sigil: Sigil;
  /** What it said just before, in plain words. */
  words: string;
};

/** Answers with what was not believed, and why; null where it was. */
export async function recordSigil(
  queue: Queue,
  { session_id, task_id, sigil, words }: Heard,
): Promise<string | null> {
  if ((sigil.kind === 'done' || sigil.kind === 'failed') && (sigil.task_id ?? task_id) !== task_id)
    return `It spoke of task ${sigil.task_id}, but was given task ${task_id}.`;
  if (sigil.kind === 'complete') {
    const open = await countOtherOpenTasks(queue, task_id);
    if (open > 0) return `It said that everything is complete, but ${open} other tasks are open.`;
  }
  for (const signal of signalsOf(sigil, words)) await record(queue, { session_id, call_id: null, signal });
  return null;
}

function signalsOf(sigil: Sigil, words: string): Signal[] {
  // What is printed may hold anything; what is recorded must be storable.
  const said = toStorable(words).trim();
  switch (sigil.kind) {
    case 'done':
    case 'complete':
      return [
        {
          verb: 'done',
          summary: said === '' ? 'It said that it is done.' : said,
          ...('no_change_reason' in sigil && { no_change_reason: toStorable(sigil.no_change_reason) }),
        },
      ];
    case 'failed':
    case 'failure':
      return [{ verb: 'stuck', reason: said === '' ? 'It gave no reason.' : said }];
    case 'blocked':
      return [
        { verb: 'blocked', on: toStorable(sigil.reason), kind: 'external' },
        {
          verb: 'partial',
          summary: said === '' ? 'Blocked.' : said,
          remaining: `What waits for: ${toStorable(sigil.reason)}`,
        },
      ];
    case 'next_model':
      return [];
  }
}
