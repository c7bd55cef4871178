// The samples of every format, counted by hand and in the queue. docs/import.md shows the same figures.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countedByHand, measureSample, SAMPLES } from '../../../scripts/references/import-table.ts';

it.each(Object.entries(countedByHand()))(
  'all of the sample %s comes in, and importing it again changes nothing',
  async (path, { tasks, parts = 0, links = 0, criteria = 0, because }) => {
    const measured = await measureSample(path);
    expect(measured).toMatchObject({ tasks, parts, again: { added: 0, updated: 0, events: 0 } });
    if (because === undefined) expect(measured).toMatchObject({ links, criteria });
    else expect(measured.links + measured.criteria).toBeLessThan(links + criteria);
  },
);

it('every sample is counted by hand', () => {
  const counted = Object.keys(countedByHand());
  const missing = readdirSync(SAMPLES).filter(
    (name) => name !== 'counts.yaml' && !counted.some((path) => path === name || path.startsWith(`${name}/`)),
  );
  expect(missing).toEqual([]);
  expect(counted.filter((path) => !existsSync(join(SAMPLES, path)))).toEqual([]);
});
