import { journalFiles } from './journal.ts';

/** How many lines the journal has; each is a session. */
export async function countJournal(root: string): Promise<number> {
  let lines = 0;
  for (const { read } of await journalFiles(root))
    lines += (await read()).split('\n').filter((line) => line.trim() !== '').length;
  return lines;
}
