// Computes the positions of the nodes of a dependency graph, in waves from left to right, and the routes of its edges.
// It uses integers and no randomness, so a graph has the same layout in a terminal, a file and a page.
import { bend, type Edge } from './bends.ts';
import { assignWaves, connectedParts, splitColumns } from './columns.ts';
import { assignHeights } from './level.ts';
import { type Linked, type Sorted, sortGraph } from './sorted.ts';
import { uncross } from './uncross.ts';

export type Point = { x: number; y: number };

/** x and y are the upper left corner of its box. */
export type PlacedNode = Point & { id: number; layer: number; order: number };

/** Points at the same height are joined by a straight line, others by a curve in the gap between two columns. */
export type Route = { from: number; to: number; points: readonly Point[] };

export type Layout = {
  nodes: readonly PlacedNode[];
  routes: readonly Route[];
  width: number;
  height: number;
};

/** The size of boxes and gaps. `maxBends` bounds the time for a graph with many long edges. */
export type Measures = { width: number; height: number; gapX: number; gapY: number; maxBends: number };

export const MEASURES: Measures = { width: 212, height: 48, gapX: 56, gapY: 14, maxBends: 40_000 };

/** The space of an edge between boxes. */
const EDGE_HEIGHT = 8;

type Box = Point & { id: number; layer: number };
type Part = { boxes: readonly Box[]; routes: readonly Route[]; width: number; height: number };

export function layoutGraph(tasks: readonly Linked[], measures: Measures = MEASURES): Layout {
  const parts = connectedParts(sortGraph(tasks)).map((part) => layoutPart(sortGraph(part), measures));
  const { corners, width, height } = pack(parts, measures);
  const moved = <P extends Point>(point: P, index: number): P => ({
    ...point,
    x: point.x + (corners[index]?.x ?? 0),
    y: point.y + (corners[index]?.y ?? 0),
  });
  const counts: number[] = [];
  const nodes = parts.flatMap(({ boxes }, index) =>
    boxes.map((box): PlacedNode => {
      const order = counts[box.layer] ?? 0;
      counts[box.layer] = order + 1;
      return { ...moved(box, index), order };
    }),
  );
  const routes = parts.flatMap((part, index) =>
    part.routes.map((route) => ({ ...route, points: route.points.map((point) => moved(point, index)) })),
  );
  return { nodes, routes, width, height };
}

function layoutPart(graph: Sorted<Linked>, measures: Measures): Part {
  const { width, height, gapX, gapY, maxBends } = measures;
  const waves = assignWaves(graph);
  const edges: Edge[] = graph.before.flatMap((others, to) => others.map((from) => ({ from, to })));
  const isBox = (one: number): boolean => one < graph.nodes.length;
  const nodeHeight = (one: number): number => (isBox(one) ? height : EDGE_HEIGHT);
  const bent = bend(splitColumns(graph, waves), edges, graph.nodes.length, maxBends);
  const columns = uncross(bent);
  const y = assignHeights(columns, bent.left, bent.right, {
    height: nodeHeight,
    isBend: (one) => !isBox(one),
    gap: gapY,
  });
  const x: number[] = [];
  columns.forEach((column, index) => {
    for (const one of column) x[one] = index * (width + gapX);
  });
  const at = (one: number): Point => ({ x: x[one] ?? 0, y: y[one] ?? 0 });
  const floor = y.reduce((most, middle, one) => Math.max(most, middle + nodeHeight(one) / 2), 0);
  const lanes = new Map<number, number>();
  const edgePoints = ({ from, to }: Edge, way: readonly number[] | null): Point[] => {
    if (way !== null) return routeThrough([at(from), ...way.map(at), at(to)], width);
    const lane = lanes.get(to) ?? floor + gapY + lanes.size * EDGE_HEIGHT;
    lanes.set(to, lane);
    return routeBelow(at(from), at(to), lane, measures);
  };
  const nodeId = (place: number): number => graph.nodes[place]?.id ?? 0;
  const nodeBox = (place: number): Box => ({
    id: nodeId(place),
    layer: waves[place] ?? 0,
    x: at(place).x,
    y: at(place).y - height / 2,
  });
  return {
    boxes: columns.flatMap((column) => column.filter(isBox).map(nodeBox)),
    routes: edges.map((edge, index) => ({
      from: nodeId(edge.from),
      to: nodeId(edge.to),
      points: edgePoints(edge, bent.ways[index] ?? null),
    })),
    width: columns.length * (width + gapX) - gapX,
    height: lanes.size === 0 ? floor : floor + gapY + lanes.size * EDGE_HEIGHT,
  };
}

/** From the right side of the first to the left side of the last, straight through each column between. */
function routeThrough(stations: readonly Point[], width: number): Point[] {
  return stations.flatMap(({ x, y }, index) => [
    ...(index === 0 ? [] : [{ x, y }]),
    ...(index === stations.length - 1 ? [] : [{ x: x + width, y }]),
  ]);
}

/** For an edge without bends: down after its first column, and up again before its last. */
function routeBelow(from: Point, to: Point, lane: number, { width, gapX }: Measures): Point[] {
  return [
    { x: from.x + width, y: from.y },
    { x: from.x + width + gapX, y: lane },
    { x: to.x - gapX, y: lane },
    { x: to.x, y: to.y },
  ];
}

/** Places parts side by side in rows, so that the whole is a little wider than high. */
function pack(
  parts: readonly Part[],
  { gapX, gapY }: Measures,
): { corners: Point[]; width: number; height: number } {
  const area = parts.reduce((sum, part) => sum + (part.width + gapX) * (part.height + gapY), 0);
  const widest = parts.reduce(
    (most, part) => Math.max(most, part.width),
    Math.ceil(Math.sqrt(area * ASPECT_RATIO)),
  );
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  const corners = parts.map((part) => {
    if (x > 0 && x + part.width > widest) [x, y, rowHeight] = [0, y + rowHeight + 2 * gapY, 0];
    const corner = { x, y };
    x += part.width + gapX;
    rowHeight = Math.max(rowHeight, part.height);
    width = Math.max(width, corner.x + part.width);
    return corner;
  });
  return { corners, width, height: y + rowHeight };
}

const ASPECT_RATIO = 1.6;

/** An edge as an SVG path. Curves start and end horizontally, so they stay between the columns. */
export function svgPath(points: readonly Point[]): string {
  let path = '';
  points.forEach(({ x, y }, index) => {
    const last = points[index - 1];
    if (last === undefined) path = `M${x} ${y}`;
    else if (last.y === y) path += `H${x}`;
    else path += `C${(last.x + x) / 2} ${last.y} ${(last.x + x) / 2} ${y} ${x} ${y}`;
  });
  return path;
}

/** The SVG path of an arrow head that points right to this point. */
export const arrowHead = ({ x, y }: Point): string => `M${x - 6} ${y - 4}L${x + 1} ${y}L${x - 6} ${y + 4}Z`;
