import { sessionState } from '../domain/sessions/session-state.ts';
import { moneyIfKnown } from '../domain/text/amounts.ts';
import { plural } from '../domain/text/text.ts';
import type { ListedSession } from '../queue/sessions/sessions.ts';
import type { Look } from './terminal/row.ts';
import { oneLine, shortId, shortModel } from './terminal/style.ts';
import { table } from './terminal/table.ts';
import { wrap } from './terminal/wrap.ts';

export function sessionTable(
  sessions: readonly ListedSession[],
  total: number,
  { terminal, now }: { terminal: Look; now: () => number },
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
        cells: cells((one) => one.outcome ?? sessionState(one, !left.has(one.task_id)).word),
      },
      { title: 'MODEL', flexible: true, cells: cells(({ usage }) => shortModel(usage.model ?? '-')) },
      { title: 'TURNS', align: 'right', cells: cells(({ usage }) => String(usage.turns)) },
      { title: 'COST', align: 'right', cells: cells(({ usage }) => moneyIfKnown(usage.cost_usd)) },
      { title: 'BEGAN', align: 'right', cells: cells(({ started }) => ago(at - started)) },
    ],
    terminal,
  );
  const count =
    total === sessions.length ? plural(total, 'session') : `${sessions.length} of ${total} sessions`;
  const hint = `${count}. ralph log ${shortId(last.id)} shows the last, ralph report --run ${last.run_id} its run.`;
  return `${shown}\n\n${wrap(hint, terminal.columns)}`;
}

function ago(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m ago`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${Math.floor(minutes / 60 / 24)}d ago`;
}
