import { useMemo, useRef } from 'preact/hooks';
import { type Drawing, type PackedGraph, unpackGraph } from '../../../src/domain/graph/drawing.ts';
import { STATE_SYMBOLS, type StateWord } from '../../../src/domain/tasks/status.ts';
import { plural, visible } from '../../../src/domain/text/text.ts';
import { currentUrl, go, withQuery } from '../../navigation.ts';
import { Empty, Problem, Status } from '../../parts/labels.tsx';
import { useProject } from '../../project.ts';
import { useView } from '../../view.ts';
import { GraphFrame } from './frame.tsx';
import { GraphPanel } from './panel.tsx';

/** The address holds every choice: feature, task, neighbourhood, and whether finished tasks are shown. */
export function GraphPage() {
  const query = currentUrl.value.searchParams;
  const filter = new URLSearchParams([...query].filter(([name]) => name !== 'task'));
  const { value, error } = useView<PackedGraph>(`/api/graph?${filter}`, ({ kind }) =>
    /^(task|dependency|session)\./.test(kind),
  );
  const read = useMemo(() => (value === null ? null : unpackGraph(value)), [value]);
  // The last drawing stays until the next one has been read.
  const shown = useRef<{ about: string; drawing: Drawing } | null>(null);
  if (read !== null)
    shown.current = { about: `${query.get('feature')} ${query.get('around')}`, drawing: read };
  const task = Number(query.get('task') ?? query.get('around'));
  const drawing = shown.current?.drawing;
  const chosen = drawing?.byId.has(task) ? task : null;
  const choose = (id: number | null): void =>
    go(withQuery({ task: id === null ? '' : String(id) }), { replace: true });
  return (
    <div class="graph-page">
      <header class="graph-head">
        <h1>Graph</h1>
        <Filters drawing={drawing ?? null} />
      </header>
      <Problem sentence={error} />
      {drawing !== undefined && drawing.nodes.length === 0 && <Nothing drawing={drawing} />}
      {drawing !== undefined && drawing.nodes.length > 0 && (
        <>
          <div class={chosen === null ? 'graph-body' : 'graph-body with-panel'}>
            <GraphFrame key={shown.current?.about} drawing={drawing} chosen={chosen} onChoose={choose} />
            {chosen !== null && <GraphPanel drawing={drawing} id={chosen} onChoose={choose} />}
          </div>
          <GraphLegend drawing={drawing} />
        </>
      )}
    </div>
  );
}

function Filters({ drawing }: { drawing: Drawing | null }) {
  const project = useProject();
  const query = currentUrl.value.searchParams;
  const around = query.get('around');
  const features = project?.features ?? [];
  const isAll = query.has('all');
  const hidden = drawing === null ? 0 : drawing.left_out.done + drawing.left_out.skipped;
  return (
    <>
      {features.length > 0 && (
        <select
          aria-label="Feature"
          value={query.get('feature') ?? ''}
          onChange={({ currentTarget }) => go(withQuery({ feature: currentTarget.value, task: '' }))}
        >
          <option value="">All features</option>
          {features.map(({ name, display_name }) => (
            <option key={name} value={name}>
              {visible(display_name ?? name)}
            </option>
          ))}
        </select>
      )}
      {(isAll || hidden > 0) && (
        <button
          type="button"
          aria-pressed={isAll}
          onClick={() => go(withQuery({ all: isAll ? '' : '1' }), { replace: true })}
        >
          {isAll ? 'Hide finished tasks' : `Show ${hidden} done or skipped`}
        </button>
      )}
      {around !== null && (
        <button type="button" onClick={() => go(withQuery({ around: '', task: around }))}>
          Only around #{around} <span aria-hidden="true">✕</span>
          <span class="unseen">, show all</span>
        </button>
      )}
    </>
  );
}

function Nothing({ drawing: { left_out } }: { drawing: Drawing }) {
  const query = currentUrl.value.searchParams;
  const finished = left_out.done + left_out.skipped;
  if (finished > 0)
    return (
      <Empty>
        Nothing is open here; {plural(finished, 'task')} {finished === 1 ? 'is' : 'are'} done or skipped.{' '}
        <a href={withQuery({ all: '1' })}>Show them, too</a>
      </Empty>
    );
  if (query.has('feature'))
    return (
      <Empty>
        This feature has no tasks. <a href="/graph">Show all features</a>
      </Empty>
    );
  return (
    <Empty>
      There are no tasks yet. Add one, and one that waits for it: <code>ralph add "What comes first"</code>,{' '}
      <code>ralph add "What comes then" --depends-on 1</code>
    </Empty>
  );
}

/** What the symbols mean, with the number of tasks for each. */
function GraphLegend({ drawing: { nodes, critical, left_out } }: { drawing: Drawing }) {
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
