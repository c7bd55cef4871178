// Removes edges from a graph until no cycle is left. Looks at each edge a few times only, because an import may have thousands.
import type { Edges } from './dag.ts';

/** Of each cycle an edge of the largest rank goes. Edges of rank 0 stay, and must not form a cycle among themselves. */
export type Rank = 0 | 1 | 2;

/** `cycle`: the path that the edge closes, from a node to the same node. Null stands for the middle of a long one. */
type RemovedEdge<Node> = { from: Node; to: Node; cycle: readonly (Node | null)[] };

export const cycleText = <Node>(
  cycle: RemovedEdge<Node>['cycle'],
  nameOf: (node: Node) => string = String,
): string => cycle.map((node) => (node === null ? '…' : nameOf(node))).join(' → ');

export function removeCycles<Node>(
  dependsOn: Edges<Node>,
  rank: (from: Node, to: Node) => Rank,
): { edges: Map<Node, readonly Node[]>; removed: RemovedEdge<Node>[] } {
  const edges = new Map(dependsOn);
  const removed: RemovedEdge<Node>[] = [];
  for (const weak of [1, 2] as const) {
    const closing = closingEdges(edges, rank, weak);
    const targets = new Map<Node, Set<Node>>();
    for (const { from, to } of closing) targets.set(from, (targets.get(from) ?? new Set()).add(to));
    for (const [from, gone] of targets)
      edges.set(
        from,
        (edges.get(from) ?? []).filter((to) => !gone.has(to)),
      );
    removed.push(...closing);
  }
  return { edges, removed };
}

/** A node on the path of the walk. `rank`: of the edge that led to it. */
type Step<Node> = { node: Node; index: number; next: number; rank: Rank };

/**
 * How a node that the walk left again reaches a step of its path: by edges that stay. Without this the walk would follow them again
 * from every node that leads there. `next`: where it continues if it enters the node later.
 */
type Routes<Node> = Map<Node, { to: Node; goal: Step<Node>; next: number }>;

/**
 * The edges of rank `weak` that close a cycle with edges of this rank or lower ones. Of a cycle it takes the last such edge, steps
 * back to where that edge began, and continues there. Iterative, because a chain may have 100,000 nodes.
 */
function closingEdges<Node>(
  edges: Edges<Node>,
  rank: (from: Node, to: Node) => Rank,
  weak: Rank,
): RemovedEdge<Node>[] {
  const removed: RemovedEdge<Node>[] = [];
  const finished = new Set<Node>();
  const routes: Routes<Node> = new Map();
  for (const start of edges.keys()) {
    if (finished.has(start)) continue;
    const path: Step<Node>[] = [{ node: start, index: 0, next: routes.get(start)?.next ?? 0, rank: 0 }];
    const steps = new Map(path.map((step) => [step.node, step]));
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const child = edges.get(top.node)?.[top.next++];
      if (child === undefined) {
        path.pop();
        steps.delete(top.node);
        finished.add(top.node);
        continue;
      }
      if (finished.has(child)) continue;
      const childRank = rank(top.node, child);
      if (childRank > weak) continue;
      const goal = steps.get(child) ?? routes.get(child)?.goal;
      if (goal === undefined || steps.get(goal.node) !== goal) {
        const step = { node: child, index: path.length, next: routes.get(child)?.next ?? 0, rank: childRank };
        path.push(step);
        steps.set(child, step);
        continue;
      }
      const cycle = [...shortened(path, goal.index), ...routeTo(goal, child, routes)];
      const back = childRank === weak ? path.length : lastOfRank(path, weak);
      removed.push({ from: path[back - 1]?.node ?? top.node, to: path[back]?.node ?? child, cycle });
      const left = path.splice(back);
      for (const [index, { node, next }] of left.entries()) {
        steps.delete(node);
        routes.set(node, { to: left[index + 1]?.node ?? child, goal, next: next - 1 });
      }
    }
  }
  return removed;
}

const lastOfRank = <Node>(path: readonly Step<Node>[], weak: Rank): number =>
  path.findLastIndex(({ rank }) => rank === weak);

/** How much of each part of a cycle is named, at either end. */
const MAX_NAMED = 5;

/** The path from this step on. */
function shortened<Node>(path: readonly Step<Node>[], from: number): (Node | null)[] {
  const nodes = (some: readonly Step<Node>[]): Node[] => some.map(({ node }) => node);
  if (path.length - from <= 2 * MAX_NAMED) return nodes(path.slice(from));
  return [...nodes(path.slice(from, from + MAX_NAMED)), null, ...nodes(path.slice(-MAX_NAMED))];
}

function routeTo<Node>(goal: Step<Node>, start: Node, routes: Routes<Node>): (Node | null)[] {
  const nodes: (Node | null)[] = [];
  for (let node = start; node !== goal.node; node = routes.get(node)?.to ?? goal.node) {
    if (nodes.length === MAX_NAMED) return [...nodes, null, goal.node];
    nodes.push(node);
  }
  return [...nodes, goal.node];
}
