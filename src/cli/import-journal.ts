import { plural } from '../domain/text.ts';
import { readJournalAt } from '../knowledge/journal.ts';
import type { Queue } from '../queue/queue.ts';
import { rebuild } from '../queue/rebuild.ts';
import type { Output } from './command.ts';
import { oneLine } from './style.ts';

/** What a lost database knew, as far as the journal tells; null where the folder holds none. */
export async function importJournal(queue: Queue, folder: string, path: string): Promise<Output | null> {
  const journal = await readJournalAt(folder);
  if (journal === null) return null;
  const rebuilt = await rebuild(queue, journal.entries);
  const problems = [...journal.problems, ...rebuilt.problems];
  const { sessions, known, tasks, learnings } = rebuilt;
  const text = [
    `Rebuilt from ${oneLine(path)}: ${plural(sessions, 'session')}, ${plural(tasks, 'task')}, ${plural(learnings, 'learning')}; ${plural(known, 'session')} as they were.`,
    ...problems.map((problem) => `! ${oneLine(problem)}`),
  ];
  return { json: { ...rebuilt, problems }, text: text.join('\n') };
}
