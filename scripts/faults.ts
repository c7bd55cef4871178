// npm run faults: every fault on the real Claude Code with a scripted model, as a table. `-- --write` puts it into docs/faults.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DOCUMENT = 'docs/faults.md';
const HEAD = `| what happens | the task afterwards | what it is charged | sessions | exit code of the run |
|---|---|---|---|---|
`;

const folder = mkdtempSync(join(tmpdir(), 'ralph-faults-'));
const file = join(folder, 'table');
writeFileSync(file, '');
const { status } = spawnSync('npx', ['vitest', 'run', 'test/e2e/faults.test.ts', '--reporter=dot'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, RALPH_FAULTS_TABLE: file },
});
const table = `${HEAD}${readFileSync(file, 'utf8')}`;
rmSync(folder, { recursive: true });
console.log(table);
if (process.argv.includes('--write') && status === 0) {
  const text = readFileSync(DOCUMENT, 'utf8');
  const start = text.indexOf('| what happens');
  const end = text.indexOf('\n\n', start) + 1;
  writeFileSync(DOCUMENT, `${text.slice(0, start)}${table}${text.slice(end)}`);
}
process.exitCode = status ?? 1;
