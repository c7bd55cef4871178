// Packs a graph for the dashboard and unpacks it there. It travels as rows of numbers: thousands of objects with the same
// keys take longer to write, send and read than to draw.
import type { TaskStage } from '../sessions/session.ts';
import { isSatisfied, type StateWord } from '../tasks/status.ts';
import type { Layout, Point } from './layout.ts';
import { criticalStepTest, type GraphPicture } from './picture.ts';
import type { Link } from './relatives.ts';

/** x and y are the upper left corner of its box. */
export type DrawnNode = Point & {
  id: number;
  title: string;
  state: StateWord;
  /** Null for a task that no session works on. */
  stage: TaskStage | null;
  feature: string | null;
  discipline: string | null;
  critical: boolean;
  /** Its direct open dependencies, including those that are not shown. */
  waits: readonly number[];
  /** The number of shown tasks that depend on it. */
  waiting: number;
};

export type DrawnEdge = Link & {
  start: DrawnNode;
  end: DrawnNode;
  critical: boolean;
  /** x and y of each bend, in one list. */
  bends: readonly number[];
};

/** Nodes are sorted by wave. */
export type Drawing = Pick<GraphPicture, 'critical' | 'left_out'> &
  Pick<Layout, 'width' | 'height'> & {
    nodes: readonly DrawnNode[];
    edges: readonly DrawnEdge[];
    byId: ReadonlyMap<number, DrawnNode>;
  };

/** State, feature and discipline are indexes into the lists of names; -1 for none. */
type PackedNode = readonly [
  id: number,
  x: number,
  y: number,
  state: number,
  title: string,
  feature: number,
  discipline: number,
];

export type PackedGraph = Omit<Drawing, 'nodes' | 'edges' | 'byId'> & {
  states: readonly StateWord[];
  names: readonly string[];
  nodes: readonly PackedNode[];
  /** From and to, as indexes into the list of nodes; then the bends. */
  edges: PackedShape['edges'];
  /** The index of the waiting node, and the id of an open task that is not shown. */
  elsewhere: readonly (readonly [place: number, id: number])[];
  at_work: readonly (readonly [id: number, stage: TaskStage])[];
};

/** The part that changes only if a task or an edge is added or removed. */
export type PackedShape = {
  ids: readonly number[];
  corners: readonly Point[];
  edges: readonly PackedEdge[];
};

type PackedEdge = readonly [from: number, to: number, bends?: readonly number[]];

export function packShape({ nodes, routes }: Layout): PackedShape {
  const placed = [...nodes].sort((one, other) => one.layer - other.layer || one.order - other.order);
  const indexById = new Map(placed.map(({ id }, place) => [id, place]));
  return {
    ids: placed.map(({ id }) => id),
    corners: placed,
    edges: routes.map(({ from, to, points }): PackedEdge => {
      const ends = [indexById.get(from) ?? 0, indexById.get(to) ?? 0] as const;
      // The first and the last point follow from the boxes.
      const bends = points.slice(1, -1).flatMap(({ x, y }) => [x, y]);
      return bends.length === 0 ? ends : [...ends, bends];
    }),
  };
}

export function packGraph(
  { tasks, layout: { width, height }, critical, left_out }: GraphPicture,
  { ids, corners, edges }: PackedShape,
  stages: ReadonlyMap<number, TaskStage>,
): PackedGraph {
  const [states, names] = [new Places<StateWord>(), new Places<string>()];
  const elsewhere: [number, number][] = [];
  const outside = new Set(left_out.elsewhere);
  const nodes = ids.map((id, place): PackedNode => {
    const { x = 0, y = 0 } = corners[place] ?? {};
    const task = tasks.get(id);
    if (task === undefined) return [id, x, y, -1, '', -1, -1];
    const { title, status, state, feature, discipline, depends_on } = task;
    if (outside.size > 0 && !isSatisfied(status))
      for (const other of depends_on) if (outside.has(other)) elsewhere.push([place, other]);
    return [id, x, y, states.of(state), title, names.of(feature), names.of(discipline)];
  });
  return {
    states: states.all,
    names: names.all,
    nodes,
    edges,
    elsewhere,
    at_work: [...stages].filter(([id]) => tasks.has(id)),
    width,
    height,
    critical,
    left_out,
  };
}

/** Collects each value once and returns its index. */
class Places<T> {
  readonly all: T[] = [];
  readonly #known = new Map<T, number>();

  of(value: T | null): number {
    if (value === null) return -1;
    const index = this.#known.get(value);
    if (index !== undefined) return index;
    this.#known.set(value, this.all.length);
    return this.all.push(value) - 1;
  }
}

const NONE: readonly number[] = [];

/** Optimised, because the page waits for it: it creates no object that most nodes do not need. */
export function unpackGraph(packed: PackedGraph): Drawing {
  const { states, names, width, height, critical, left_out } = packed;
  const [onPath, isStep] = [new Set(critical.tasks), criticalStepTest(critical)];
  const byId = new Map<number, DrawnNode>();
  const nodes = packed.nodes.map((row) => {
    const node: DrawnNode = {
      id: row[0],
      x: row[1],
      y: row[2],
      state: states[row[3]] ?? 'pending',
      stage: null,
      title: row[4],
      feature: names[row[5]] ?? null,
      discipline: names[row[6]] ?? null,
      critical: onPath.has(row[0]),
      waits: NONE,
      waiting: 0,
    };
    byId.set(node.id, node);
    return node;
  });
  const edges: DrawnEdge[] = [];
  for (const row of packed.edges) {
    const [start, end] = [nodes[row[0]], nodes[row[1]]];
    if (start === undefined || end === undefined) continue;
    const isCritical = start.critical && end.critical && isStep(start.id, end.id);
    edges.push({ from: start.id, to: end.id, start, end, critical: isCritical, bends: row[2] ?? NONE });
    if (!isOpen(start) || !isOpen(end)) continue;
    end.waits = [...end.waits, start.id];
    start.waiting += 1;
  }
  for (const [place, id] of packed.elsewhere) {
    const node = nodes[place];
    if (node !== undefined) node.waits = [...node.waits, id];
  }
  for (const [id, stage] of packed.at_work) {
    const node = byId.get(id);
    // The state was read on its own; the process may have died since.
    if (node?.state === 'in_progress') node.stage = stage;
  }
  return { nodes, edges, byId, width, height, critical, left_out };
}

const isOpen = ({ state }: DrawnNode): boolean => state !== 'done' && state !== 'skipped';
