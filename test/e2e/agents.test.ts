// What happens to a session of each other agent, with its real program and a scripted model. docs/faults.md has what this has found;
// `npm run agents` fetches the programs, and without one its rows are not run. With --write it plays all rows,
// and so does CI.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCarriers } from '../../src/host/processes/reap.ts';
import { findRealAgent, REAL_AGENTS, type RealAgent } from '../support/agents.ts';
import { scriptedModel } from '../support/claude.ts';
import { initialised, runRalph } from '../support/ralph.ts';
import { AGENT_FAULTS, type AgentFault } from './agent-faults.ts';
import { charged, GATE, outcome, type ShownTask } from './fault.ts';

const codex = REAL_AGENTS.find(({ name }) => name === 'codex') as RealAgent;
const TABLE = process.env['RALPH_AGENTS_TABLE'];
/** They cost minutes, so `npm test` plays one row of each agent. */
const PLAYS_ALL = TABLE !== undefined || process.env['CI_PLAYS_ALL_AGENT_ROWS'] === '1';
const known = readFileSync('docs/faults.md', 'utf8');

describe.each(REAL_AGENTS)('$name', (agent) => {
  const path = findRealAgent(agent);
  const notRun = path === null ? ` (not run: npm run agents ${agent.name})` : '';
  const rows = AGENT_FAULTS.filter(({ isForTests }) => PLAYS_ALL || isForTests === true);
  it.skipIf(path === null).each(rows)(`$name${notRun}`, { timeout: 300_000 }, async (fault) => {
    const row = await rowOf(agent, path ?? '', fault);
    if (TABLE === undefined) expect(known).toContain(`${row}\n`);
    else appendFileSync(TABLE, `${row}\n`);
  });
});

it.skipIf(!process.env['CI_HAS_BUBBLEWRAP'] || findRealAgent(codex) === null)(
  'an agent that is not Claude Code works in the sandbox, with its own folder and the model in reach',
  { timeout: 300_000 },
  async () => {
    const [fault] = AGENT_FAULTS;
    if (fault === undefined) throw new Error('There is no row.');
    const sandboxed = { ...codex, env: (url: string) => ({ ...codex.env(url), RALPH_SANDBOX: 'process' }) };
    expect(await rowOf(sandboxed, findRealAgent(codex) ?? '', fault)).toContain('done, committed');
  },
);

async function rowOf(agent: RealAgent, path: string, fault: AgentFault): Promise<string> {
  const project = await initialised();
  const model = await scriptedModel(fault.turns(agent));
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    `agent: ${agent.name}\n${agent.config(model.url)}${GATE}${fault.config ?? ''}`,
  );
  await project.json('trust', '--yes');
  await project.json('add', 'Write hello.txt');
  const env = { ...agent.env(model.url), HOME: project.home, PATH: `${path}:${process.env['PATH']}` };
  const ran = await runRalph(['run', '--once'], { cwd: project.root, env });
  expect(ran.stderr).toBe('');
  expect(ran.stdout).toContain(fault.says ?? '');
  const task = (await project.json('show', '1')) as ShownTask;
  for (const { id } of task.sessions) expect(findCarriers(`RALPH_SESSION_ID=${id}`)).toEqual([]);
  return `| ${[agent.name, fault.name, outcome(task), charged(task), String(ran.code)].join(' | ')} |`;
}
