import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FLEET_MUTATIONS } from '../../scripts/chaos/fleet/mutations.ts';
import { MUTATIONS, replaceOnce } from '../../scripts/chaos/mutations.ts';

it.each(Object.entries({ ...MUTATIONS, ...FLEET_MUTATIONS }))(
  'the fault %s can be built into Ralph as it is now',
  (_, { replacement }) => {
    const source = readFileSync(replacement.file, 'utf8');
    expect(replaceOnce(source, replacement)).not.toBe(source);
  },
);
