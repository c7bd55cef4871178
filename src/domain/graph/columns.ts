import type { Linked, Sorted } from './sorted.ts';

/** The wave of each node: one after the last wave that it depends on. */
export function assignWaves({ nodes, before, order }: Sorted<Linked>): number[] {
  const waves = new Array<number>(nodes.length).fill(0);
  for (const place of order)
    waves[place] = (before[place] ?? []).reduce((wave, other) => Math.max(wave, (waves[other] ?? 0) + 1), 0);
  return waves;
}

/** Parts without an edge between them, the largest first, then by lowest id. */
export function connectedParts<Node extends Linked>({ nodes, before, after }: Sorted<Node>): Node[][] {
  const isSeen = new Array<boolean>(nodes.length).fill(false);
  const parts: Node[][] = [];
  for (let start = 0; start < nodes.length; start++) {
    if (isSeen[start]) continue;
    const part = [start];
    isSeen[start] = true;
    for (let next = 0; next < part.length; next++) {
      const place = part[next] ?? 0;
      for (const other of [...(before[place] ?? []), ...(after[place] ?? [])]) {
        if (isSeen[other]) continue;
        isSeen[other] = true;
        part.push(other);
      }
    }
    parts.push(part.flatMap((place) => nodes[place] ?? []));
  }
  return parts.sort((a, b) => b.length - a.length || (a[0]?.id ?? 0) - (b[0]?.id ?? 0));
}

/** A wave with more nodes is split into several columns. */
const maxColumnSize = (size: number): number => Math.max(12, Math.ceil(1.5 * Math.sqrt(size)));

/** The waves of one part as columns of places. Nodes without dependents go first, so the others are near their dependents. */
export function splitColumns({ nodes, after }: Sorted<Linked>, waves: readonly number[]): number[][] {
  const byWave: number[][] = [];
  waves.forEach((wave, place) => {
    byWave[wave] ??= [];
    byWave[wave].push(place);
  });
  const maxSize = maxColumnSize(nodes.length);
  const isEnd = (place: number): number => (after[place]?.length === 0 ? 0 : 1);
  return byWave.flatMap((wave) => {
    if (wave.length <= maxSize) return [wave];
    const count = Math.ceil(wave.length / maxSize);
    const sorted = [...wave].sort((a, b) => isEnd(a) - isEnd(b) || a - b);
    const size = Math.ceil(wave.length / count);
    return Array.from({ length: count }, (_, index) => sorted.slice(index * size, (index + 1) * size));
  });
}
