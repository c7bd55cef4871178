import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { STATE_SYMBOLS, type StateWord } from '../../../src/domain/tasks/status-word.ts';
import { plural } from '../../../src/domain/text/text.ts';
import { Status } from '../../parts/labels.tsx';

/** What the marks mean, with how many there are of each. */
export function GraphLegend({ drawing: { nodes, critical, left_out } }: { drawing: Drawing }) {
  const counts = new Map<StateWord, number>();
  for (const { state } of nodes) counts.set(state, (counts.get(state) ?? 0) + 1);
  const words = (Object.keys(STATE_SYMBOLS) as StateWord[]).filter((word) => counts.has(word));
  return (
    <ul class="legend graph-legend" aria-label="Legend">
      {words.map((word) => (
        <li key={word}>
          {counts.get(word)} <Status word={word} />
        </li>
      ))}
      {critical.tasks.length > 1 && (
        <li class="critical">
          critical path: {plural(critical.tasks.length, 'task')}, {plural(critical.turns, 'turn')}
        </li>
      )}
      {left_out.elsewhere.length > 0 && (
        <li class="aside">
          not shown: {plural(left_out.elsewhere.length, 'open task')} elsewhere that these wait for
        </li>
      )}
    </ul>
  );
}
