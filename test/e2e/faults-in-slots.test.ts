// docs/faults.md is what this has found. `npm run faults` prints the table, and writes it with --write.
import { it } from 'vitest';
import { IN_SLOTS } from './faults-in-slots.ts';
import { checkRow } from './play-fault.ts';

it.each(IN_SLOTS)('$name', (fault) => checkRow('4-slots', fault));
