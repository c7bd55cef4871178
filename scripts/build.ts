import { chmod, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { bundle } from './bundle.ts';

await rm('dist', { recursive: true, force: true });
await build(bundle({ ralph: 'src/main.ts' }, 'dist'));
await chmod('dist/ralph.js', 0o755);
