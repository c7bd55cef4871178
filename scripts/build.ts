import { chmod, rm } from 'node:fs/promises';
import { buildRalph } from './bundle.ts';

await rm('dist', { recursive: true, force: true });
await buildRalph({ ralph: 'src/main.ts' }, 'dist');
await chmod('dist/ralph.js', 0o755);
