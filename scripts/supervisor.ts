// `npx tsx scripts/supervisor.ts [flags]` is `ralph run [flags]`, built from this clone. The loop: src/supervisor/loop.ts.
import './build.ts';

process.argv.splice(2, 0, 'run');
await import(new URL('../dist/ralph.js', import.meta.url).href);
