// npm run faults: every fault on the real Claude Code with a scripted model, as a table. `-- --write` puts it into docs/faults.md;
// `-- --claude VERSION` runs it with another version, and names the rows that are not true for that one.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags, refuse } from './usage.ts';

const DOCUMENT = 'docs/faults.md';
const HEAD = `| what happens | the task afterwards | what it is charged | sessions | exit code of the run |
|---|---|---|---|---|
`;

/** A busy machine says nothing of a version. */
const SLOWLY = '--testTimeout=300000';

const { write, claude } = readFlags('npm run faults [-- --write | --claude VERSION]', {
  options: { write: { type: 'boolean', default: false }, claude: { type: 'string' } },
}).values;
if (write && claude !== undefined)
  refuse('The document is written from the version of this project; leave out --write or --claude.');

const folder = mkdtempSync(join(tmpdir(), 'ralph-faults-'));
process.once('exit', () => rmSync(folder, { recursive: true }));
const table = join(folder, 'table');
mkdirSync(table);
const client = claude === undefined ? {} : { RALPH_CLAUDE: installed(claude) };
const { status } = spawnSync('npx', ['vitest', 'run', 'test/e2e/faults', '--reporter=dot', SLOWLY], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, RALPH_FAULTS_TABLE: table, ...client },
});
// The names of the files are the order of the groups.
const rows = readdirSync(table)
  .sort()
  .map((name) => readFileSync(join(table, name), 'utf8'))
  .join('');
const text = readFileSync(DOCUMENT, 'utf8');
console.log(`${HEAD}${rows}`);
process.exitCode = status ?? 1;
if (write && status === 0) {
  const start = text.indexOf('| what happens');
  const end = text.indexOf('\n\n', start) + 1;
  writeFileSync(DOCUMENT, `${text.slice(0, start)}${HEAD}${rows}${text.slice(end)}`);
} else if (!write) {
  const untrue = rows.split('\n').filter((row) => row !== '' && !text.includes(`${row}\n`));
  for (const row of untrue) console.log(`Not in ${DOCUMENT}: ${row}`);
  if (untrue.length > 0) process.exitCode = 1;
}

/** In a folder of its own: the project keeps the version that it is tested with. */
function installed(version: string): string {
  const name = `@anthropic-ai/claude-code@${version}`;
  const { status: code } = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', name],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  if (code !== 0) throw new Error(`${name} could not be installed.`);
  return join(folder, 'node_modules/.bin/claude');
}
