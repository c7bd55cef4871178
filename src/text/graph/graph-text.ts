// The graph as lines: one wave below the other, with lanes that show which task waits for which.
import type { PlacedNode } from '../../domain/graph/layout.ts';
import type { GraphPicture, ShownTask } from '../../domain/graph/picture.ts';
import { plural } from '../../domain/text/text.ts';
import { type Look, row } from '../terminal/row.ts';
import { oneLine, paint, statusCell } from '../terminal/style.ts';
import { width } from '../terminal/table.ts';
import { wrap } from '../terminal/wrap.ts';
import { drawLanes } from './graph-lanes.ts';

/** More than a person reads; the rest is counted. */
const [MAX_TASKS, MAX_PER_WAVE] = [200, 40];
/** More lanes would leave no room for the titles. */
const MAX_LANES = 8;
const MAX_NAMED = 4;
const STATE_COLUMNS = 14;

type Wave = { number: number; tasks: readonly ShownTask[]; more: number };

export function graphText(picture: GraphPicture, note: string, look: Look): string {
  const { waves, hidden } = chooseWaves(picture);
  const shown = new Set(waves.flatMap(({ tasks }) => tasks.map(({ id }) => id)));
  const lines = waves.flatMap(({ number, tasks, more }) => [
    { text: `wave ${number}${more === 0 ? '' : `, and ${more} more`}`, task: null },
    ...tasks.map((task) => ({ text: '', task })),
  ]);
  const lanes = drawLanes(
    lines.map(({ task }) =>
      task === null
        ? null
        : {
            id: task.id,
            waitsFor: task.depends_on.filter((id) => shown.has(id)),
            symbol: statusCell(task.state).text.slice(0, 1),
          },
    ),
    MAX_LANES,
  );
  const drawn = lines.map(({ text, task }, index) => {
    const lane = lanes?.[index] ?? '';
    return task === null
      ? `${lane}${paint(text, 'dim', look.color)}`
      : taskLine(task, lane, (id) => picture.tasks.has(id), look);
  });
  return [
    drawn.join('\n'),
    wrap([pathLine(picture), hidden, note].filter((line) => line !== '').join('\n'), look.columns),
  ].join('\n\n');
}

function taskLine(task: ShownTask, lane: string, isShown: (id: number) => boolean, look: Look): string {
  const { text, format } = statusCell(task.state);
  const before = `${lane}${task.critical ? '*' : ' '} `;
  const waitsFor = task.depends_on.filter(isShown);
  const named = waitsFor.slice(0, MAX_NAMED).map((id) => `#${id}`);
  const others = waitsFor.length > MAX_NAMED ? ` and ${waitsFor.length - MAX_NAMED} more` : '';
  const line = row(
    {
      head: { text: `#${task.id} ${oneLine(task.title)}`, ...(task.critical && { format: 'bold' }) },
      facts: waitsFor.length === 0 ? [] : [{ text: `after ${named.join(' ')}${others}`, format: 'dim' }],
    },
    { ...look, columns: look.columns - width(before) - STATE_COLUMNS },
  );
  return `${before}${paint(text, format, look.color)}${' '.repeat(STATE_COLUMNS - width(text))}${line}`;
}

/** The waves nearest to the chosen task, or the first ones; of each wave that task and the critical path come first. */
function chooseWaves({ tasks, layout, around }: GraphPicture): { waves: Wave[]; hidden: string } {
  const byWave: PlacedNode[][] = [];
  for (const node of layout.nodes) {
    byWave[node.layer] ??= [];
    byWave[node.layer]?.push(node);
  }
  const center = layout.nodes.find(({ id }) => id === around)?.layer ?? 0;
  const distance = (index: number): number => Math.abs(index - center);
  const rank = ({ id, critical }: ShownTask): number => (id === around ? 0 : critical ? 1 : 2);
  const most = layout.nodes.length > MAX_TASKS ? MAX_PER_WAVE : MAX_TASKS;
  let left = MAX_TASKS;
  const waves: Wave[] = [];
  for (const index of [...byWave.keys()].sort((a, b) => distance(a) - distance(b) || a - b)) {
    if (left === 0) break;
    const nodes = (byWave[index] ?? []).sort((a, b) => a.order - b.order);
    const all = nodes.flatMap(({ id }) => tasks.get(id) ?? []);
    const some = new Set(all.toSorted((a, b) => rank(a) - rank(b)).slice(0, Math.min(most, left)));
    left -= some.size;
    waves.push({
      number: index + 1,
      tasks: all.filter((task) => some.has(task)),
      more: all.length - some.size,
    });
  }
  waves.sort((a, b) => a.number - b.number);
  const count = tasks.size - waves.reduce((sum, wave) => sum + wave.tasks.length, 0);
  const beyond = byWave.length - waves.length;
  const hidden =
    count === 0
      ? ''
      : `${count} of ${plural(tasks.size, 'task')} are not listed${beyond === 0 ? '' : `, ${plural(beyond, 'wave')} among them`}: narrow it with a task or --feature, or draw all of it with --svg --output graph.svg.`;
  return { waves, hidden };
}

const PATH_ENDS = 6;

function pathLine({ critical: { tasks, turns } }: GraphPicture): string {
  if (tasks.length < 2) return '';
  const named = tasks.map((id) => `#${id}`);
  const shown =
    named.length <= 2 * PATH_ENDS + 1
      ? named
      : [...named.slice(0, PATH_ENDS), '…', ...named.slice(-PATH_ENDS)];
  const length = turns === tasks.length ? '' : `, about ${plural(turns, 'turn')}`;
  return `* critical path, ${plural(tasks.length, 'task')}${length}: ${shown.join(' → ')}`;
}
