import { isSatisfied } from './status.ts';
import { PRIORITIES, type Status, type Task } from './task.ts';

export function isReady(
  task: Pick<Task, 'status' | 'not_before' | 'depends_on'>,
  statusOf: (id: number) => Status | undefined,
  now: number,
): boolean {
  if (task.status !== 'pending') return false;
  if (task.not_before !== null && task.not_before > now) return false;
  return task.depends_on.every((id) => {
    const status = statusOf(id);
    return status !== undefined && isSatisfied(status);
  });
}

/** The order in which ready tasks are claimed: priority, then the feature's rank, then id. */
export function compareReady(
  a: Pick<Task, 'id' | 'priority'> & { feature_rank: number },
  b: Pick<Task, 'id' | 'priority'> & { feature_rank: number },
): number {
  return (
    PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
    a.feature_rank - b.feature_rank ||
    a.id - b.id
  );
}

export type Edges<Node> = ReadonlyMap<Node, readonly Node[]>;

/** A cycle as a path whose first node equals its last, or null. */
export const findCycle = <Node>(dependsOn: Edges<Node>): Node[] | null =>
  findCycles(dependsOn).next().value ?? null;

/** Yields one cycle for each edge that closes one. Iterative, because a chain may have 100,000 nodes. */
function* findCycles<Node>(dependsOn: Edges<Node>): Generator<Node[], undefined> {
  const finished = new Set<Node>();
  for (const start of dependsOn.keys()) {
    if (finished.has(start)) continue;
    const path: { node: Node; next: number }[] = [{ node: start, next: 0 }];
    const onPath = new Set<Node>([start]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const child = dependsOn.get(top.node)?.[top.next++];
      if (child === undefined) {
        path.pop();
        onPath.delete(top.node);
        finished.add(top.node);
      } else if (onPath.has(child)) {
        const nodes = path.map(({ node }) => node);
        yield [...nodes.slice(nodes.indexOf(child)), child];
      } else if (!finished.has(child)) {
        path.push({ node: child, next: 0 });
        onPath.add(child);
      }
    }
  }
}

export type RemovedEdge<Node> = { from: Node; to: Node; cycle: readonly Node[] };

/**
 * Removes edges until no cycle is left. Of each cycle it removes the last edge with the largest `rank`. Edges of rank 0 always
 * stay, and must not form a cycle among themselves.
 */
export function removeCycles<Node>(
  dependsOn: Edges<Node>,
  rank: (from: Node, to: Node) => number,
): { edges: Map<Node, readonly Node[]>; removed: RemovedEdge<Node>[] } {
  const edges = new Map(dependsOn);
  const removed: RemovedEdge<Node>[] = [];
  for (;;) {
    const found: RemovedEdge<Node>[] = [];
    for (const cycle of findCycles(edges)) {
      const links = cycle.slice(1).map((to, index) => ({ from: cycle[index] as Node, to, cycle }));
      const worst = links.reduce((a, b) => (rank(b.from, b.to) >= rank(a.from, a.to) ? b : a));
      found.push(worst);
      // The walk continued without the closing edge. If another edge is removed, it must start again.
      if (worst !== links.at(-1)) break;
    }
    if (found.length === 0) return { edges, removed };
    for (const { from, to } of found)
      edges.set(
        from,
        (edges.get(from) ?? []).filter((node) => node !== to),
      );
    removed.push(...found);
  }
}
