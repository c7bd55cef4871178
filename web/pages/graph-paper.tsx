import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import { MEASURES } from '../../src/domain/graph/layout.ts';
import { arrowAt } from '../../src/domain/graph/path.ts';
import { relativesOf } from '../../src/domain/graph/relatives.ts';
import { visible } from '../../src/domain/text.ts';
import type { GraphView } from '../../src/ui/views/graph.ts';
import { useProject } from '../project.ts';
import { Edge, type Kin, Node } from './graph-parts.tsx';

type PaperProps = {
  paper: RefObject<HTMLDivElement | null>;
  view: GraphView;
  chosen: number | null;
  stop: number | null;
};

/** The whole graph; whoever moves it moves the sheet. */
export function Paper({ paper, view, chosen, stop }: PaperProps) {
  const project = useProject();
  const colors = useMemo(
    () => new Map(project?.disciplines.map(({ name, color }) => [name, color])),
    [project?.disciplines],
  );
  const names = useMemo(() => namesOf(view), [view]);
  const kinOf = useMemo(() => kinIn(view, chosen), [view, chosen]);
  const arrows = useMemo(() => {
    const ends = new Set(view.edges.map(({ to }) => to));
    return view.nodes
      .flatMap(({ id, x, y }) => (ends.has(id) ? [arrowAt({ x, y: y + MEASURES.height / 2 })] : []))
      .join('');
  }, [view]);
  // Those of the critical path last, so that no other lies over them.
  const edges = useMemo(
    () => [...view.edges].sort((one, other) => Number(one.critical) - Number(other.critical)),
    [view],
  );
  return (
    <div ref={paper} class="graph-paper" style={{ width: `${view.width}px`, height: `${view.height}px` }}>
      <svg aria-hidden="true" width={view.width} height={view.height}>
        {edges.map(({ from, to, critical, path }) => (
          <Edge
            key={`${from} ${to}`}
            path={path}
            look={`${critical ? 'critical ' : ''}${isBetween(kinOf(from), kinOf(to)) ? 'kin' : ''}`}
          />
        ))}
        <path class="arrows" d={arrows} />
      </svg>
      {view.nodes.map(({ id, title, state, critical, discipline, x, y }) => (
        <Node
          key={id}
          id={id}
          title={title}
          state={state}
          critical={critical}
          color={colors.get(discipline ?? '') ?? null}
          name={names.get(id) ?? ''}
          kin={kinOf(id)}
          isTabStop={id === stop}
          x={x}
          y={y}
        />
      ))}
    </div>
  );
}

/** A path from the past to the future that goes around the chosen task is none of its own. */
const isBetween = (one: Kin, other: Kin): boolean =>
  one !== '' && other !== '' && (one === other || one === 'chosen' || other === 'chosen');

function kinIn({ edges }: GraphView, chosen: number | null): (id: number) => Kin {
  if (chosen === null) return () => '';
  const { past, future } = relativesOf(edges, chosen);
  return (id) => (id === chosen ? 'chosen' : past.has(id) ? 'past' : future.has(id) ? 'future' : '');
}

/** "#3 Webhook retry, failed, waits for #1, 2 wait for it" */
function namesOf({ nodes }: GraphView): Map<number, string> {
  const waiting = new Map<number, number>();
  for (const { waits } of nodes) for (const id of waits) waiting.set(id, (waiting.get(id) ?? 0) + 1);
  return new Map(
    nodes.map(({ id, title, state, critical, waits }) => {
      const count = waiting.get(id) ?? 0;
      const parts = [
        `#${id} ${visible(title)}`,
        state.replace('_', ' '),
        ...(waits.length > 0 ? [`waits for ${waits.map((one) => `#${one}`).join(' and ')}`] : []),
        ...(count > 0 ? [`${count} ${count === 1 ? 'waits' : 'wait'} for it`] : []),
        ...(critical ? ['on the critical path'] : []),
      ];
      return [id, parts.join(', ')];
    }),
  );
}
