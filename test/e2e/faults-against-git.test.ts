// docs/faults.md is what this has found. `npm run faults` prints the table, and writes it with --write.
import { it } from 'vitest';
import { AGAINST_GIT } from './faults-against-git.ts';
import { checkRow } from './play-fault.ts';

it.each(AGAINST_GIT)('$name', (fault) => checkRow('3-git', fault));
