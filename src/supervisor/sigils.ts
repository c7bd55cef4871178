// What an agent without MCP can say: a tag that stands alone on its line. A looser form would match text that only mentions a tag.
import type { Signal } from '../domain/sessions/signal.ts';
import { toStorable } from '../domain/text/text.ts';
import type { Queue } from '../queue/queue.ts';
import { record } from '../queue/sessions/record.ts';
import { countOtherOpenTasks } from '../queue/tasks/status.ts';

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

/** The model that the agent asks for in this text; the last one, if it names several. */
export function nextModelIn(text: string): string | null {
  const found = text
    .split('\n')
    .map(parseSigil)
    .findLast((sigil) => sigil?.kind === 'next_model');
  return found?.kind === 'next_model' ? found.model : null;
}

export type SigilReport = {
  session_id: string;
  task_id: number;
  sigil: Sigil;
  /** The text that came just before the sigil. */
  words: string;
};

/** Records a sigil as the signals that the verbs would leave. Returns why Ralph does not believe it, or null. */
export async function recordSigil(
  queue: Queue,
  { session_id, task_id, sigil, words }: SigilReport,
): Promise<string | null> {
  if ((sigil.kind === 'done' || sigil.kind === 'failed') && (sigil.task_id ?? task_id) !== task_id)
    return `It spoke of task ${sigil.task_id}, but was given task ${task_id}.`;
  if (sigil.kind === 'complete') {
    const open = await countOtherOpenTasks(queue, task_id);
    if (open > 0) return `It said that everything is complete, but ${open} other tasks are open.`;
  }
  for (const signal of toSignals(sigil, words)) await record(queue, { session_id, call_id: null, signal });
  return null;
}

function toSignals(sigil: Sigil, words: string): Signal[] {
  // An agent may print any character; the database does not store all of them.
  const text = toStorable(words).trim();
  switch (sigil.kind) {
    case 'done':
    case 'complete':
      return [
        {
          verb: 'done',
          summary: text === '' ? 'It said that it is done.' : text,
          ...('no_change_reason' in sigil && { no_change_reason: toStorable(sigil.no_change_reason) }),
        },
      ];
    case 'failed':
    case 'failure':
      return [{ verb: 'stuck', reason: text === '' ? 'It gave no reason.' : text }];
    case 'blocked':
      return [
        { verb: 'blocked', on: toStorable(sigil.reason), kind: 'external' },
        {
          verb: 'partial',
          summary: text === '' ? 'Blocked.' : text,
          remaining: `What waits for: ${toStorable(sigil.reason)}`,
        },
      ];
    case 'next_model':
      return [];
  }
}
