import { PRIORITIES, type Task } from './task.ts';

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

/** A cycle as a path whose first node equals its last, or null. Iterative, because a chain may have 100,000 nodes. */
export function findCycle<Node>(dependsOn: Edges<Node>): Node[] | null {
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
        return [...nodes.slice(nodes.indexOf(child)), child];
      } else if (!finished.has(child)) {
        path.push({ node: child, next: 0 });
        onPath.add(child);
      }
    }
  }
  return null;
}
