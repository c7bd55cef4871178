import { money } from '../domain/amounts.ts';
import { sessionLook } from '../domain/session-look.ts';
import { plural } from '../domain/text.ts';
import type { ListedSession } from '../queue/sessions.ts';
import type { CommandContext } from './command.ts';
import { oneLine, shortId, shortModel } from './style.ts';
import { table } from './table.ts';

export function sessionTable(
  sessions: readonly ListedSession[],
  total: number,
  { terminal, now }: CommandContext,
  left: ReadonlySet<number>,
): string {
  const last = sessions.at(-1);
  if (last === undefined) return 'No sessions yet; ralph run works on the queue.';
  const at = now();
  const cells = (cell: (session: ListedSession) => string): string[] => sessions.map(cell);
  const shown = table(
    [
      { title: 'SESSION', cells: cells(({ id }) => shortId(id)) },
      {
        title: 'TASK',
        flexible: true,
        cells: cells(({ task_id, title }) => `#${task_id} ${oneLine(title)}`),
      },
      {
        title: 'OUTCOME',
        cells: cells((one) => one.outcome ?? sessionLook(one, !left.has(one.task_id)).word),
      },
      { title: 'MODEL', flexible: true, cells: cells(({ usage }) => shortModel(usage.model ?? '-')) },
      { title: 'TURNS', align: 'right', cells: cells(({ usage }) => String(usage.turns)) },
      { title: 'COST', align: 'right', cells: cells(({ usage }) => money(usage.cost_usd)) },
      { title: 'BEGAN', align: 'right', cells: cells(({ started }) => ago(at - started)) },
    ],
    terminal,
  );
  const count =
    total === sessions.length ? plural(total, 'session') : `${sessions.length} of ${total} sessions`;
  return `${shown}\n\n${count}. ralph log ${shortId(last.id)} shows the last, ralph report --run ${last.run_id} its run.`;
}

function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 60 / 24)}d ago`;
}
