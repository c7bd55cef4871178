// The SVG below the boxes: the edges, and the overview that replaces the boxes from afar.
import type { DrawnEdge, DrawnNode } from '../../../src/domain/graph/drawing.ts';
import { arrowHead, MEASURES, type Point, svgPath } from '../../../src/domain/graph/layout.ts';
import { edgePoints } from '../../../src/domain/graph/window.ts';
import { type Kin, PureComponent } from './node.tsx';

type EdgesProps = {
  edges: readonly DrawnEdge[];
  kinOf: (id: number) => Kin;
  cell: number;
  /** False where arrows would be smaller than a pixel. */
  hasArrows: boolean;
};

/** In drawing order: the critical path comes late, so that no other edge lies over it. */
const LOOKS = ['', 'kin', 'critical', 'critical kin', 'arrows'];

export class Edges extends PureComponent<EdgesProps> {
  render({ edges, kinOf, cell, hasArrows }: EdgesProps) {
    const batches = new PathBatches(cell);
    const ends = new Set<DrawnNode>();
    for (const edge of edges) {
      const { from, to, start, end, critical } = edge;
      const isKin = isBetween(kinOf(from), kinOf(to));
      const look = critical ? (isKin ? 'critical kin' : 'critical') : isKin ? 'kin' : '';
      batches.add(look, start, svgPath(edgePoints(edge)));
      if (hasArrows) ends.add(end);
    }
    for (const { x, y } of ends)
      batches.add('arrows', { x, y }, arrowHead({ x, y: y + MEASURES.height / 2 }));
    return LOOKS.map((look) => (
      <g key={look}>
        {batches.withLook(look).map(({ key, path }) => (
          <path key={key} class={look} d={path} />
        ))}
      </g>
    ));
  }
}

/** False for an edge that leads from past to future without passing the chosen task. */
const isBetween = (one: Kin, other: Kin): boolean =>
  one !== '' && other !== '' && (one === other || one === 'chosen' || other === 'chosen');

type OverviewProps = {
  nodes: readonly DrawnNode[];
  kinOf: (id: number) => Kin;
  cell: number;
  /** A task is chosen, so unrelated tasks are drawn in grey. */
  isFocused: boolean;
};

const { width, height } = MEASURES;

/** Boxes from afar: only their colour. */
export class Overview extends PureComponent<OverviewProps> {
  render({ nodes, kinOf, cell, isFocused }: OverviewProps) {
    const [boxes, rims] = [new PathBatches(cell), new PathBatches(cell)];
    for (const { id, x, y, state, critical } of nodes) {
      const isAside = isFocused && kinOf(id) === '';
      const box = `M${x} ${y}h${width}v${height}h${-width}z`;
      boxes.add(isAside ? 'line' : state, { x, y }, box);
      if (critical && !isAside) rims.add('rim', { x, y }, box);
    }
    return (
      <g class="picture">
        {boxes.all.map(({ key, look, path }) => (
          <path key={key} d={path} style={{ fill: `var(--${look})` }} />
        ))}
        {rims.all.map(({ key, look, path }) => (
          <path key={key} class={look} d={path} />
        ))}
      </g>
    );
  }
}

/** All shapes with the same look in one cell of the canvas, as one path. */
type PathBatch = { key: string; look: string; path: string };

/**
 * A browser handles a few large shapes faster than thousands of small ones. But it paints in tiles, and a tile costs all
 * of every shape that it touches. So no batch extends far beyond its cell.
 */
class PathBatches {
  readonly #batches = new Map<string, PathBatch>();
  readonly #cell: number;

  constructor(cell: number) {
    this.#cell = cell;
  }

  add(look: string, { x, y }: Point, path: string): void {
    const key = `${look} ${Math.floor(x / this.#cell)} ${Math.floor(y / this.#cell)}`;
    const batch = this.#batches.get(key);
    if (batch === undefined) this.#batches.set(key, { key, look, path });
    else batch.path += path;
  }

  withLook(look: string): PathBatch[] {
    return this.all.filter((batch) => batch.look === look);
  }

  get all(): PathBatch[] {
    return [...this.#batches.values()];
  }
}

/** About a hundred cells in the frame; a power of two, so that they stay the same while it moves. */
export const cellSize = (width: number): number => 2 ** Math.round(Math.log2(Math.max(1, width / 10)));
