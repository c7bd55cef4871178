import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { findRelatives } from '../../../src/domain/graph/relatives.ts';
import { isEdgeIn, isNodeIn } from '../../../src/domain/graph/window.ts';
import { stageWord } from '../../parts/stage.ts';
import { useProject } from '../../project.ts';
import type { Viewport } from './camera.ts';
import { type Kin, Node, nodeLabel } from './node.tsx';
import { cellSize, Edges, Overview } from './svg-layers.tsx';

/** More unreadable boxes than this are drawn as one picture: each box would cost as much as a readable one. */
const MAX_UNREADABLE_NODES = 300;

type CanvasProps = {
  canvas: RefObject<HTMLDivElement | null>;
  /** Null before the camera exists. */
  viewport: Signal<Viewport | null> | null;
  drawing: Drawing;
  chosen: number | null;
  visited: number | null;
};

/** Holds the visible boxes, and also the chosen one and the one with the keyboard focus, wherever they are. */
export function Canvas({ canvas, viewport, drawing, chosen, visited }: CanvasProps) {
  const { zone, isFar } = viewport?.value ?? NOWHERE;
  const project = useProject();
  const colors = useMemo(
    () => new Map(project?.disciplines.map(({ name, color }) => [name, color])),
    [project?.disciplines],
  );
  const kinOf = useMemo(() => kinOfChosen(drawing, chosen), [drawing, chosen]);
  const edges = useMemo(() => drawing.edges.filter((edge) => isEdgeIn(zone, edge)), [drawing, zone]);
  const nodes = useMemo(() => drawing.nodes.filter((node) => isNodeIn(zone, node)), [drawing, zone]);
  const isOverview = isFar && nodes.length > MAX_UNREADABLE_NODES;
  const cell = cellSize(zone.width);
  const near = new Set(isOverview ? [] : nodes);
  const boxes = drawing.nodes.filter((node) => near.has(node) || node.id === visited || node.id === chosen);
  return (
    <div
      ref={canvas}
      class="graph-paper"
      style={{ width: `${drawing.width}px`, height: `${drawing.height}px` }}
    >
      <svg aria-hidden="true" width={drawing.width} height={drawing.height}>
        <Edges edges={edges} kinOf={kinOf} cell={cell} hasArrows={!isOverview} />
        {isOverview && <Overview nodes={nodes} kinOf={kinOf} cell={cell} isFocused={chosen !== null} />}
      </svg>
      {boxes.map((node) => (
        <Node
          key={node.id}
          id={node.id}
          title={node.title}
          state={node.state}
          word={node.stage && stageWord(node.stage)}
          slot={node.stage?.slot ?? null}
          critical={node.critical}
          color={colors.get(node.discipline ?? '') ?? null}
          name={nodeLabel(node)}
          kin={kinOf(node.id)}
          isTabStop={node.id === visited}
          x={node.x}
          y={node.y}
        />
      ))}
    </div>
  );
}

const NOWHERE: Viewport = { zone: { x: 0, y: 0, width: -1, height: -1 }, isFar: false };

function kinOfChosen({ edges }: Drawing, chosen: number | null): (id: number) => Kin {
  if (chosen === null) return () => '';
  const { past, future } = findRelatives(edges, chosen);
  return (id) => (id === chosen ? 'chosen' : past.has(id) ? 'past' : future.has(id) ? 'future' : '');
}
