import type { Linked, Sorted } from './sorted.ts';

/** Which wave each node can begin in: behind the last that it waits for. */
export function assignWaves({ nodes, before, order }: Sorted<Linked>): number[] {
  const waves = new Array<number>(nodes.length).fill(0);
  for (const place of order)
    waves[place] = (before[place] ?? []).reduce((wave, other) => Math.max(wave, (waves[other] ?? 0) + 1), 0);
  return waves;
}

/** Parts that no edge joins, the largest first, then by their lowest id. */
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

/** A wave of more nodes than this many is a column of its own no longer, but several. */
const widestColumn = (size: number): number => Math.max(12, Math.ceil(1.5 * Math.sqrt(size)));

/** The waves of one part as columns of places. What nothing waits for goes first: the rest stays near to what comes next. */
export function splitColumns({ nodes, after }: Sorted<Linked>, waves: readonly number[]): number[][] {
  const byWave: number[][] = [];
  waves.forEach((wave, place) => {
    byWave[wave] ??= [];
    byWave[wave].push(place);
  });
  const most = widestColumn(nodes.length);
  const isEnd = (place: number): number => (after[place]?.length === 0 ? 0 : 1);
  return byWave.flatMap((wave) => {
    if (wave.length <= most) return [wave];
    const count = Math.ceil(wave.length / most);
    const sorted = [...wave].sort((a, b) => isEnd(a) - isEnd(b) || a - b);
    const size = Math.ceil(wave.length / count);
    return Array.from({ length: count }, (_, index) => sorted.slice(index * size, (index + 1) * size));
  });
}
