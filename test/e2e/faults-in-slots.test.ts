// docs/faults.md is what this has found. `npm run faults` prints the table, and writes it with --write.
import { it } from 'vitest';
import { IN_SLOTS } from './faults-in-slots.ts';
import { checkRow } from './play-fault.ts';

it.for(IN_SLOTS)('$name', (fault, context) => {
  const reason = fault.whyNot?.() ?? null;
  return reason === null ? checkRow('4-slots', fault) : context.skip(reason);
});
