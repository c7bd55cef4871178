import { layoutGraph } from '../../src/domain/graph/layout.ts';
import type { Linked } from '../../src/domain/graph/sorted.ts';
import { type Bench, compare } from './measure.ts';

const [SMALL, LARGE] = [100, 1_000];

export const layout: Bench = async () => {
  const [large, small] = [backlog(LARGE), backlog(SMALL)];
  const { measured, against } = await compare(
    100,
    () => void layoutGraph(large),
    () => void layoutGraph(small),
  );
  return [
    {
      name: 'layout of 1,000 tasks against 100',
      ratio: measured / against,
      // Ten times as many tasks, and edges that pass more of them: half as many again each.
      atMost: 25,
      detail: `${measured.toFixed(1)} ms against ${against.toFixed(1)} ms`,
    },
  ];
};

/** Each task waits for two of the thirty before it, so that there are many waves and many long edges. */
const backlog = (size: number): Linked[] =>
  Array.from({ length: size }, (_, index) => ({
    id: index + 1,
    depends_on: [1 + ((index * 7) % 30), 1 + ((index * 11) % 29)]
      .map((back) => index + 1 - back)
      .filter((id) => id > 0),
  }));
