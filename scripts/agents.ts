// npm run agents [NAME...] [-- --write]: fetches the programs of other agents, in pinned versions, for the tests and the
// demonstration. With --write it plays every row of the fault table with those that are there, and puts them into docs/faults.md.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AGENTS_FOLDER, findRealAgent, REAL_AGENTS, type RealAgent } from '../test/support/agents.ts';
import { readFlags, refuse } from './usage.ts';

const DOCUMENT = 'docs/faults.md';
const HEAD = `| agent | what happens | the task afterwards | what it is charged | exit code of the run |
|---|---|---|---|---|
`;

const { positionals: names, values } = readFlags('npm run agents [NAME...] [-- --write]', {
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
});
const unknown = names.find((name) => !REAL_AGENTS.some((agent) => agent.name === name));
if (unknown !== undefined)
  refuse(`There is no agent ${unknown}; there are ${REAL_AGENTS.map(({ name }) => name).join(', ')}.`);
for (const agent of REAL_AGENTS.filter(({ name }) => names.length === 0 || names.includes(name)))
  fetchAgent(agent);
if (values.write) writeTable();

function fetchAgent(agent: RealAgent): void {
  const what = `${agent.package}@${agent.version}`;
  if (findRealAgent(agent) !== null) {
    console.log(`${what} is there.`);
    return;
  }
  const folder = join(AGENTS_FOLDER, agent.name);
  mkdirSync(folder, { recursive: true });
  // With its scripts: one of them puts the program for this machine into its place.
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--no-save', what], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  console.log(`${what} is fetched.`);
}

function writeTable(): void {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-agents-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  const file = join(folder, 'table');
  writeFileSync(file, '');
  const { status } = spawnSync('npx', ['vitest', 'run', 'test/e2e/agents.test.ts', '--reporter=dot'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, RALPH_AGENTS_TABLE: file },
  });
  const played = readFileSync(file, 'utf8');
  console.log(`${HEAD}${played}`);
  process.exitCode = status ?? 1;
  if (status !== 0) return;
  const text = readFileSync(DOCUMENT, 'utf8');
  const start = text.indexOf('| agent |');
  const end = text.indexOf('\n\n', start) + 1;
  // An agent whose program is not there keeps the rows that it has.
  const rows = REAL_AGENTS.map(
    ({ name }) => tableRows(name, played) || tableRows(name, text.slice(start, end)),
  ).join('');
  writeFileSync(DOCUMENT, `${text.slice(0, start)}${HEAD}${rows}${text.slice(end)}`);
}

function tableRows(name: string, table: string): string {
  const rows = table.split('\n').filter((row) => row.startsWith(`| ${name} |`));
  return rows.map((row) => `${row}\n`).join('');
}
