// What a sigil means for the task: the same signals that the verbs leave, recorded as soon as it is heard.
import type { Signal } from '../domain/sessions/signal.ts';
import { keepable } from '../domain/text/text.ts';
import type { Queue } from '../queue/queue.ts';
import { record } from '../queue/sessions/record.ts';
import { openBesides } from '../queue/tasks/open-besides.ts';
import type { Sigil } from './sigils.ts';

export type Heard = {
  session_id: string;
  task_id: number;
  sigil: Sigil;
  /** What it said just before, in plain words. */
  words: string;
};

/** Answers with what was not believed, and why; null where it was. */
export async function hearSigil(
  queue: Queue,
  { session_id, task_id, sigil, words }: Heard,
): Promise<string | null> {
  if ((sigil.kind === 'done' || sigil.kind === 'failed') && (sigil.task_id ?? task_id) !== task_id)
    return `It spoke of task ${sigil.task_id}, but was given task ${task_id}.`;
  if (sigil.kind === 'complete') {
    const open = await openBesides(queue, task_id);
    if (open > 0) return `It said that everything is complete, but ${open} other tasks are open.`;
  }
  for (const signal of signalsOf(sigil, words)) await record(queue, { session_id, call_id: null, signal });
  return null;
}

function signalsOf(sigil: Sigil, words: string): Signal[] {
  // What is printed may hold anything; what is recorded must be storable.
  const said = keepable(words).trim();
  switch (sigil.kind) {
    case 'done':
    case 'complete':
      return [
        {
          verb: 'done',
          summary: said === '' ? 'It said that it is done.' : said,
          ...('no_change_reason' in sigil && { no_change_reason: keepable(sigil.no_change_reason) }),
        },
      ];
    case 'failed':
    case 'failure':
      return [{ verb: 'stuck', reason: said === '' ? 'It gave no reason.' : said }];
    case 'blocked':
      return [
        { verb: 'blocked', on: keepable(sigil.reason), kind: 'external' },
        {
          verb: 'partial',
          summary: said === '' ? 'Blocked.' : said,
          remaining: `What waits for: ${keepable(sigil.reason)}`,
        },
      ];
    case 'next_model':
      return [];
  }
}
