// `npx tsx scripts/supervisor.ts [flags]` is `ralph run [flags]`, built from this clone. The loop: src/supervisor/loop.ts.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

// In the folder of the clone, wherever the person stands: the build empties dist/ there.
execFileSync('npm', ['run', '-s', 'build'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
});
process.argv.splice(2, 0, 'run');
await import(new URL('../dist/ralph.js', import.meta.url).href);
