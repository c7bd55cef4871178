import { useRef } from 'preact/hooks';
import { plural, visible } from '../../src/domain/text.ts';
import type { GraphView } from '../../src/ui/views/graph.ts';
import { Empty } from '../parts/empty.tsx';
import { Text } from '../parts/text.tsx';
import { useProject } from '../project.ts';
import { go, place, withQuery } from '../route.ts';
import { useView } from '../view.ts';
import { GraphFrame } from './graph-frame.tsx';
import { GraphLegend } from './graph-legend.tsx';
import { GraphPanel } from './graph-panel.tsx';

/** Everything that is chosen here is in the address. */
export function GraphPage() {
  const query = place.value.searchParams;
  const wanted = new URLSearchParams([...query].filter(([name]) => name !== 'task'));
  const { value, error } = useView<GraphView>(`/api/graph?${wanted}`, ({ kind }) =>
    /^(task|dependency|session)\./.test(kind),
  );
  // What was shown stays until what was asked for is there.
  const shown = useRef<{ about: string; view: GraphView } | null>(null);
  if (value !== null)
    shown.current = { about: `${query.get('feature')} ${query.get('around')}`, view: value };
  const task = Number(query.get('task') ?? query.get('around'));
  const view = shown.current?.view;
  const chosen = view?.nodes.some(({ id }) => id === task) ? task : null;
  const choose = (id: number | null): void =>
    go(withQuery({ task: id === null ? '' : String(id) }), { replace: true });
  return (
    <div class="graph-page">
      <header class="graph-head">
        <h1>Graph</h1>
        <Filters view={view ?? null} />
      </header>
      {error !== null && (
        <p class="error" role="alert">
          <Text>{error}</Text>
        </p>
      )}
      {view !== undefined && view.nodes.length === 0 && <Nothing view={view} />}
      {view !== undefined && view.nodes.length > 0 && (
        <>
          <div class={chosen === null ? 'graph-body' : 'graph-body with-panel'}>
            <GraphFrame key={shown.current?.about} view={view} chosen={chosen} onChoose={choose} />
            {chosen !== null && <GraphPanel view={view} id={chosen} onChoose={choose} />}
          </div>
          <GraphLegend view={view} />
        </>
      )}
    </div>
  );
}

function Filters({ view }: { view: GraphView | null }) {
  const project = useProject();
  const query = place.value.searchParams;
  const around = query.get('around');
  const features = project?.features ?? [];
  const isAll = query.has('all');
  const hidden = view === null ? 0 : view.left_out.done + view.left_out.skipped;
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
          {isAll ? 'Hide what is done' : `Show ${hidden} done or skipped`}
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

function Nothing({ view: { left_out } }: { view: GraphView }) {
  const query = place.value.searchParams;
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
