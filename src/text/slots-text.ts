// The slots of a project as a person reads them.
import { age, diskSize } from '../domain/text/amounts.ts';
import { plural } from '../domain/text/text.ts';
import type { Look } from './terminal/row.ts';
import { oneLine, shortId } from './terminal/style.ts';
import { table } from './terminal/table.ts';

type SlotSession = { session_id: string; task_id: number; title: string };

/** `left`: the session is not over, but no process works on it. */
export type SlotUse = ({ kind: 'session' | 'left' } & SlotSession) | { kind: 'preparing' | 'gates' | 'free' };

export type SlotView = {
  name: string;
  folder: string;
  use: SlotUse;
  last_used: number;
  bytes: number;
};

export function slotsText(
  slots: readonly SlotView[],
  folder: string,
  { terminal, now }: { terminal: Look; now: number },
): string {
  if (slots.length === 0) return 'There are no slots yet: ralph run makes them.';
  const cells = (cell: (slot: SlotView) => string): string[] => slots.map(cell);
  const rows = table(
    [
      { title: 'SLOT', cells: cells(({ name }) => name) },
      { title: 'USED BY', flexible: true, cells: cells(({ use }) => oneLine(useText(use))) },
      {
        title: 'LAST USE',
        align: 'right',
        cells: cells(({ use, last_used }) => (isInUse(use) ? 'now' : `${age(now - last_used)} ago`)),
      },
      { title: 'SIZE', align: 'right', cells: cells(({ bytes }) => diskSize(bytes)) },
    ],
    terminal,
  );
  const total = slots.reduce((sum, { bytes }) => sum + bytes, 0);
  const free = slots.filter(({ use }) => use.kind === 'free').length;
  const left = slots.filter(({ use }) => use.kind === 'left').length;
  return [
    rows,
    '',
    `${plural(slots.length, 'slot')}, ${diskSize(total)}, in ${folder}`,
    ...(left > 0
      ? [`The next ralph run finishes the work in ${left === 1 ? 'the slot' : 'the slots'} left unfinished.`]
      : []),
    ...(free > 0 ? [`${plural(free, 'free slot')}   ralph slots clean --all`] : []),
  ].join('\n');
}

const isInUse = ({ kind }: SlotUse): boolean => kind !== 'free' && kind !== 'left';

function useText(use: SlotUse): string {
  switch (use.kind) {
    case 'session':
      return `${shortId(use.session_id)}  #${use.task_id} ${use.title}`;
    case 'left':
      return `${shortId(use.session_id)}  left unfinished: #${use.task_id} ${use.title}`;
    case 'preparing':
      return 'a session that begins';
    case 'gates':
      return 'gates';
    case 'free':
      return 'free';
  }
}

export type CleanedSlots = {
  removed: readonly string[];
  bytes: number;
  /** Free, but used so recently that a plain clean spares them. */
  warm: readonly string[];
  /** In use, or with files of a session that is not over. */
  needed: readonly string[];
};

export function cleanedText({ removed, bytes, warm, needed }: CleanedSlots): string {
  if (removed.length + warm.length + needed.length === 0 && bytes === 0)
    return 'There are no slots, so nothing was removed.';
  const done = removed.length === 0 ? 'No slot was removed' : `Removed ${removed.join(', ')}`;
  return [
    `${done}${bytes > 0 ? `: ${diskSize(bytes)} are free again` : ''}.`,
    ...(warm.length === 0
      ? []
      : [`Kept ${warm.join(', ')}, used within the last day; remove with ralph slots clean --all.`]),
    ...(needed.length === 0
      ? []
      : [`Kept ${needed.join(', ')}, which a session or gates still need; see ralph slots list.`]),
  ].join('\n');
}
