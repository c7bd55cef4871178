import type { DrawnEdge, DrawnNode } from '../../../src/domain/graph/drawing.ts';
import { arrowAt, MEASURES, type Point, pathOf } from '../../../src/domain/graph/layout.ts';
import { pointsOf } from '../../../src/domain/graph/window.ts';
import type { Kin } from './node.tsx';
import { PureComponent } from './node.tsx';

type EdgesProps = {
  edges: readonly DrawnEdge[];
  kinOf: (id: number) => Kin;
  cell: number;
  /** Not where they would be smaller than a dot. */
  hasArrows: boolean;
};

/** Those of the critical path last, so that no other lies over them. */
const LOOKS = ['', 'kin', 'critical', 'critical kin', 'arrows'];

export class Edges extends PureComponent<EdgesProps> {
  render({ edges, kinOf, cell, hasArrows }: EdgesProps) {
    const shapes = new PathBatches(cell);
    const ends = new Set<DrawnNode>();
    for (const edge of edges) {
      const { from, to, start, end, critical } = edge;
      const isKin = isBetween(kinOf(from), kinOf(to));
      const look = critical ? (isKin ? 'critical kin' : 'critical') : isKin ? 'kin' : '';
      shapes.add(look, start, pathOf(pointsOf(edge)));
      if (hasArrows) ends.add(end);
    }
    for (const { x, y } of ends) shapes.add('arrows', { x, y }, arrowAt({ x, y: y + MEASURES.height / 2 }));
    return LOOKS.map((look) => (
      <g key={look}>
        {shapes.of(look).map(({ key, path }) => (
          <path key={key} class={look} d={path} />
        ))}
      </g>
    ));
  }
}

/** A path from the past to the future that goes around the chosen task is none of its own. */
const isBetween = (one: Kin, other: Kin): boolean =>
  one !== '' && other !== '' && (one === other || one === 'chosen' || other === 'chosen');

type OverviewProps = {
  nodes: readonly DrawnNode[];
  kinOf: (id: number) => Kin;
  cell: number;
  /** Whether somebody looks at one, so that those that have nothing to do with it step back. */
  isFocused: boolean;
};

const { width, height } = MEASURES;

/** Boxes from afar: no more of them than their colour. */
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

/** All shapes of one look in one part of the paper, as one. */
export type PathBatch = { key: string; look: string; path: string };

/**
 * A browser holds a few large shapes more easily than thousands of small ones. But it paints in tiles, each with all of
 * every shape that meets it: so no shape goes far beyond its cell.
 */
export class PathBatches {
  readonly #found = new Map<string, PathBatch>();
  readonly #cell: number;

  constructor(cell: number) {
    this.#cell = cell;
  }

  add(look: string, { x, y }: Point, path: string): void {
    const key = `${look} ${Math.floor(x / this.#cell)} ${Math.floor(y / this.#cell)}`;
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, { key, look, path });
    else known.path += path;
  }

  of(look: string): PathBatch[] {
    return [...this.#found.values()].filter((one) => one.look === look);
  }

  get all(): PathBatch[] {
    return [...this.#found.values()];
  }
}

/** About a hundred in a window, and the same ones while it moves. */
export const cellSize = (width: number): number => 2 ** Math.round(Math.log2(Math.max(1, width / 10)));
