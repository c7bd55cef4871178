// npm run agents [NAME...]: fetches the programs of other agents, in pinned versions, for the tests and the demonstration.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AGENTS_FOLDER, findRealAgent, REAL_AGENTS, type RealAgent } from '../test/support/agents.ts';

const names = process.argv.slice(2);
const unknown = names.find((name) => !REAL_AGENTS.some((agent) => agent.name === name));
if (unknown !== undefined)
  throw new Error(
    `There is no agent ${unknown}; there are ${REAL_AGENTS.map(({ name }) => name).join(', ')}.`,
  );
for (const agent of REAL_AGENTS.filter(({ name }) => names.length === 0 || names.includes(name)))
  fetchAgent(agent);

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
