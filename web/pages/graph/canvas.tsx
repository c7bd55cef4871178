import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { relativesOf } from '../../../src/domain/graph/relatives.ts';
import { isEdgeIn, isNodeIn } from '../../../src/domain/graph/window.ts';
import { useProject } from '../../project.ts';
import type { Sight } from './camera.ts';
import { type Kin, Node, nameOf } from './node.tsx';
import { cellFor, Edges, Picture } from './svg-layers.tsx';

/** More boxes than that are a picture from afar: nobody could read them, and each would cost as if somebody did. */
const MOST_UNREADABLE = 300;

type PaperProps = {
  paper: RefObject<HTMLDivElement | null>;
  /** Null until somebody looks. */
  sight: Signal<Sight | null> | null;
  drawing: Drawing;
  chosen: number | null;
  visited: number | null;
};

/** Whoever moves the graph moves the sheet. On it is what can be seen, and, wherever it is, what the keyboard is at. */
export function Paper({ paper, sight, drawing, chosen, visited }: PaperProps) {
  const { zone, isFar } = sight?.value ?? NOWHERE;
  const project = useProject();
  const colors = useMemo(
    () => new Map(project?.disciplines.map(({ name, color }) => [name, color])),
    [project?.disciplines],
  );
  const kinOf = useMemo(() => kinIn(drawing, chosen), [drawing, chosen]);
  const edges = useMemo(() => drawing.edges.filter((edge) => isEdgeIn(zone, edge)), [drawing, zone]);
  const nodes = useMemo(() => drawing.nodes.filter((node) => isNodeIn(zone, node)), [drawing, zone]);
  const isPicture = isFar && nodes.length > MOST_UNREADABLE;
  const cell = cellFor(zone.width);
  const near = new Set(isPicture ? [] : nodes);
  const boxes = drawing.nodes.filter((node) => near.has(node) || node.id === visited || node.id === chosen);
  return (
    <div
      ref={paper}
      class="graph-paper"
      style={{ width: `${drawing.width}px`, height: `${drawing.height}px` }}
    >
      <svg aria-hidden="true" width={drawing.width} height={drawing.height}>
        <Edges edges={edges} kinOf={kinOf} cell={cell} hasArrows={!isPicture} />
        {isPicture && <Picture nodes={nodes} kinOf={kinOf} cell={cell} isFocused={chosen !== null} />}
      </svg>
      {boxes.map((node) => (
        <Node
          key={node.id}
          id={node.id}
          title={node.title}
          state={node.state}
          critical={node.critical}
          color={colors.get(node.discipline ?? '') ?? null}
          name={nameOf(node)}
          kin={kinOf(node.id)}
          isTabStop={node.id === visited}
          x={node.x}
          y={node.y}
        />
      ))}
    </div>
  );
}

const NOWHERE: Sight = { zone: { x: 0, y: 0, width: -1, height: -1 }, isFar: false };

function kinIn({ edges }: Drawing, chosen: number | null): (id: number) => Kin {
  if (chosen === null) return () => '';
  const { past, future } = relativesOf(edges, chosen);
  return (id) => (id === chosen ? 'chosen' : past.has(id) ? 'past' : future.has(id) ? 'future' : '');
}
