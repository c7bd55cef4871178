// The way of an edge, as SVG writes it.
import type { Point } from './layout.ts';

/** Curves leave and arrive level, and so stay between the columns. */
export function pathOf(points: readonly Point[]): string {
  let path = '';
  points.forEach(({ x, y }, index) => {
    const last = points[index - 1];
    if (last === undefined) path = `M${x} ${y}`;
    else if (last.y === y) path += `H${x}`;
    else path += `C${(last.x + x) / 2} ${last.y} ${(last.x + x) / 2} ${y} ${x} ${y}`;
  });
  return path;
}

/** The head of an arrow that ends here, coming from the left. */
export const arrowAt = ({ x, y }: Point): string => `M${x - 6} ${y - 4}L${x + 1} ${y}L${x - 6} ${y + 4}Z`;
