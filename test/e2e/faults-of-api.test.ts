// docs/faults.md is what this has found. `npm run faults` prints the table, and writes it with --write.
import { it } from 'vitest';
import { OF_THE_API } from './faults-of-api.ts';
import { checkRow } from './play-fault.ts';

it.each(OF_THE_API)('$name', (fault) => checkRow('2-api', fault));
