import { givesOrders, isHeldBack } from '../domain/learnings/learning.ts';
import { localTime } from '../domain/text/amounts.ts';
import { plural } from '../domain/text/text.ts';
import type { LearnResult } from '../queue/learnings/learn.ts';
import type { Learning, LearningDetails } from '../queue/learnings/learnings.ts';
import type { Look } from './terminal/row.ts';
import { oneLine } from './terminal/style.ts';
import { type Column, table } from './terminal/table.ts';
import { wrap } from './terminal/wrap.ts';

type Listing = { archived?: boolean; proven?: boolean; feature?: string; run_id?: number; stats: boolean };

export function learningTable(
  { learnings, archived }: { learnings: readonly Learning[]; archived: number },
  { stats, ...filter }: Listing,
  { terminal }: { terminal: Look },
): string {
  const rest =
    archived > 0 && !filter.archived ? ` ${archived} more in the archive: ralph learn list --archived` : '';
  if (learnings.length === 0)
    return Object.keys(filter).length > 0
      ? `No learning matches; ralph learn list shows all.${rest}`
      : `There are no learnings yet. Teach one: ralph learn "One fact that saves time"${rest}`;
  const cells = (cell: (learning: Learning) => string): string[] => learnings.map(cell);
  const columns: Column[] = [
    { title: '#', align: 'right', digits: true, cells: cells(({ id }) => String(id)) },
    { title: 'KIND', cells: cells(({ category }) => category) },
    { title: 'FEATURE', flexible: true, cells: cells(({ feature }) => oneLine(feature ?? '-')) },
    { title: 'LEARNED', align: 'right', cells: cells(({ confirmations }) => `${confirmations + 1}×`) },
    ...(stats ? statistics(cells) : []),
    {
      title: 'LEARNING',
      flexible: true,
      cells: cells((learning) => `${learningMarks(learning)}${oneLine(learning.body)}`),
    },
  ];
  return `${table(columns, terminal)}\n\n${plural(learnings.length, 'learning')}.${rest}`;
}

function statistics(cells: (cell: (learning: Learning) => string) => string[]): Column[] {
  return [
    { title: 'GIVEN', align: 'right', cells: cells(({ given }) => String(given)) },
    {
      title: 'PASSED',
      align: 'right',
      cells: cells(({ given, passed }) =>
        given === 0 ? '-' : `${passed} (${Math.round((100 * passed) / given)}%)`,
      ),
    },
  ];
}

/** `~`: it waits for proof; `!`: it contradicts an older learning; `?`: it reads like an instruction to the agent. */
const learningMarks = (learning: Learning): string =>
  `${isHeldBack(learning) ? '~ ' : ''}${oddMarks(learning)}`;

const oddMarks = ({ conflicts_with, body }: Learning): string =>
  `${conflicts_with === null ? '' : '! '}${givesOrders(body) ? '? ' : ''}`;

export function learningText(
  { learning, older, newer }: LearningDetails,
  { terminal }: { terminal: Look },
): string {
  const { id, category, feature, body, reason, confirmations, given, passed, task_id, created, archived } =
    learning;
  const facts = [
    `${category}${feature === null ? ', of the whole project' : `, of ${feature}`}, ${localTime(created)}`,
    task_id === null ? '' : `learned while working on #${task_id}`,
    confirmations === 0 ? '' : `said ${confirmations + 1} times`,
    given === 0
      ? 'given to no session yet'
      : `given to ${plural(given, 'session')}, ${passed} passed at the first try`,
    isHeldBack(learning)
      ? `waits for proof: only retries of ${task_id === null ? 'its task' : `#${task_id}`} get it until that is done, or until you say ralph learn approve ${id}`
      : '',
    archived === null ? '' : `archived ${localTime(archived)}: no longer in prompts`,
    older === null ? '' : `contradicts the older learning ${older.id}: ${older.body}`,
    newer === null ? '' : `contradicts the newer learning ${newer.id}: ${newer.body}`,
    givesOrders(body) ? 'reads like an instruction; prompts say not to follow it' : '',
  ].filter((fact) => fact !== '');
  const text = [
    `Learning ${id}`,
    '',
    oneLine(body),
    ...(reason === null ? [] : [`Why: ${oneLine(reason)}`]),
    '',
    ...facts.map(oneLine),
  ];
  return wrap(text.join('\n'), terminal.columns);
}
// The result of a change to a learning as one sentence, the same on every screen.

export function learnedMessage(result: LearnResult, { archived }: Learning): string {
  if (archived !== null)
    return `Known already: learning ${result.id}, which is archived and in no prompt. Restore it: ralph learn restore ${result.id}`;
  if (result.as === 'confirmation') return `Known already: learning ${result.id}, now confirmed.`;
  return result.conflicts_with === null
    ? `Kept as learning ${result.id}.`
    : `Kept as learning ${result.id}. It contradicts learning ${result.conflicts_with}: both are kept, the newer one is shown first. Remove one of them: ralph learn remove ${result.conflicts_with}`;
}

export const editedMessage = ({ id, body }: Learning): string => `Learning ${id} now says: ${body}`;
export const removedMessage = ({ id }: Learning): string => `Learning ${id} was removed.`;
export const approvedMessage = ({ id }: Learning): string =>
  `Learning ${id} is approved: every session may get it.`;
export const archivedMessage = ({ id }: Learning): string =>
  `Learning ${id} is no longer in prompts; ralph learn restore undoes this.`;
export const restoredMessage = ({ id }: Learning): string => `Learning ${id} may be in prompts again.`;
