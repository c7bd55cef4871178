import { folded } from '../text/text.ts';
import { groupsOf } from './entry-group.ts';
import { entryLine } from './entry-line.ts';
import type { Entry } from './transcript.ts';

/** What a list shows of an entry. */
export type EntryRow = { kind: Entry['kind']; isWrong: boolean; line: string };

const MAX_LINE = 300;

export const rowOf = (entry: Entry): EntryRow => ({
  kind: entry.kind,
  isWrong: groupsOf(entry).includes('errors'),
  line: folded(entryLine(entry).slice(0, 2 * MAX_LINE)).slice(0, MAX_LINE),
});
