import type { DrawnEdge, DrawnNode } from '../../../src/domain/graph/drawing.ts';
import { arrowAt, MEASURES, pathOf } from '../../../src/domain/graph/layout.ts';
import { pointsOf } from '../../../src/domain/graph/window.ts';
import type { Kin } from './node.tsx';
import { Shapes } from './path-batches.ts';
import { Still } from './pure-component.ts';

type Props = {
  edges: readonly DrawnEdge[];
  kinOf: (id: number) => Kin;
  cell: number;
  /** Not where they would be smaller than a dot. */
  hasArrows: boolean;
};

/** Those of the critical path last, so that no other lies over them. */
const LOOKS = ['', 'kin', 'critical', 'critical kin', 'arrows'];

export class Edges extends Still<Props> {
  render({ edges, kinOf, cell, hasArrows }: Props) {
    const shapes = new Shapes(cell);
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
