import type { DrawnNode } from '../../../src/domain/graph/drawing.ts';
import { MEASURES } from '../../../src/domain/graph/layout.ts';
import type { Kin } from './node.tsx';
import { Shapes } from './path-batches.ts';
import { Still } from './pure-component.ts';

type Props = {
  nodes: readonly DrawnNode[];
  kinOf: (id: number) => Kin;
  cell: number;
  /** Whether somebody looks at one, so that those that have nothing to do with it step back. */
  isFocused: boolean;
};

const { width, height } = MEASURES;

/** Boxes from afar: no more of them than their colour. */
export class Picture extends Still<Props> {
  render({ nodes, kinOf, cell, isFocused }: Props) {
    const [boxes, rims] = [new Shapes(cell), new Shapes(cell)];
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
