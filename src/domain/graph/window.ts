// Finds the boxes and edges inside the visible window, which are few of thousands.
import type { DrawnEdge } from './drawing.ts';
import { MEASURES, type Point } from './layout.ts';

export type Box = Point & { width: number; height: number };

const { width: WIDTH, height: HEIGHT } = MEASURES;

export const boxAt = ({ x, y }: Point): Box => ({ x, y, width: WIDTH, height: HEIGHT });

export const holds = (outer: Box, inner: Box): boolean =>
  outer.x <= inner.x &&
  outer.y <= inner.y &&
  outer.x + outer.width >= inner.x + inner.width &&
  outer.y + outer.height >= inner.y + inner.height;

/** `node`: the upper left corner of its box. */
export const isNodeIn = ({ x, y, width, height }: Box, node: Point): boolean =>
  node.x <= x + width && node.x + WIDTH >= x && node.y <= y + height && node.y + HEIGHT >= y;

/** May be true for an edge that only passes around the window, but is never false for one inside it. */
export function isEdgeIn({ x, y, width, height }: Box, { start, end, bends }: DrawnEdge): boolean {
  if (start.x + WIDTH > x + width || end.x < x) return false;
  let top = Math.min(start.y, end.y) + HEIGHT / 2;
  let bottom = Math.max(start.y, end.y) + HEIGHT / 2;
  for (let at = 1; at < bends.length; at += 2) {
    top = Math.min(top, bends[at] ?? top);
    bottom = Math.max(bottom, bends[at] ?? bottom);
  }
  return top <= y + height && bottom >= y;
}

/** From the right side of one box, through the bends, to the left side of the other. */
export function edgePoints({ start, end, bends }: DrawnEdge): Point[] {
  const points = [{ x: start.x + WIDTH, y: start.y + HEIGHT / 2 }];
  for (let at = 0; at < bends.length; at += 2) points.push({ x: bends[at] ?? 0, y: bends[at + 1] ?? 0 });
  points.push({ x: end.x, y: end.y + HEIGHT / 2 });
  return points;
}
