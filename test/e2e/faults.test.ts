// docs/faults.md is what this has found. `npm run faults` prints the table, and writes it with --write.
import { it } from 'vitest';
import { FAULTS } from './faults.ts';
import { checkRow } from './play-fault.ts';

it.each(FAULTS)('$name', (fault) => checkRow('1-agent', fault));
