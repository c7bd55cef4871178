import type { Output } from '../../app/world.ts';
import { plural } from '../../domain/text/text.ts';
import { readJournalAt } from '../../project/journal/journal.ts';
import { rebuild } from '../../queue/journal/rebuild.ts';
import type { Queue } from '../../queue/queue.ts';
import { oneLine } from '../../text/terminal/style.ts';

/** Rebuilds from the journal what a lost database held; null if the folder holds no journal. */
export async function importJournal(queue: Queue, folder: string, path: string): Promise<Output | null> {
  const journal = await readJournalAt(folder);
  if (journal === null) return null;
  const rebuilt = await rebuild(queue, journal.entries);
  const problems = [...journal.problems, ...rebuilt.problems];
  const { sessions, known, tasks, learnings } = rebuilt;
  const text = [
    `Rebuilt from ${oneLine(path)}: ${plural(sessions, 'session')}, ${plural(tasks, 'task')}, ${plural(learnings, 'learning')}; ${plural(known, 'session')} unchanged.`,
    ...problems.map((problem) => `! ${oneLine(problem)}`),
  ];
  return { json: { ...rebuilt, problems }, text: text.join('\n') };
}
