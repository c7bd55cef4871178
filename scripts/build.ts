import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { buildRalph, startOnce } from './bundle.ts';

await rm('dist', { recursive: true, force: true });
startOnce(resolve(await buildRalph('dist')));
