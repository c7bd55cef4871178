// What a session is launched with: taken from its task, its discipline and the configuration.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Config } from '../../../src/domain/config.ts';
import { NO_FAULTS } from '../../../src/domain/sessions/command-agent.ts';
import type { DisciplineFields } from '../../../src/domain/tasks/discipline.ts';
import type { Task } from '../../../src/domain/tasks/task.ts';
import { readConfig } from '../../../src/project/read-config.ts';
import { createDiscipline } from '../../../src/queue/definitions/edit.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import type { Launchable } from '../../../src/supervisor/agents/agent.ts';
import { claude } from '../../../src/supervisor/agents/claude.ts';
import { commandAgent } from '../../../src/supervisor/agents/command.ts';
import type { SupervisorInput } from '../../../src/supervisor/input.ts';
import { openPatience } from '../../../src/supervisor/patience.ts';
import { chooseTaskAgent, prepare } from '../../../src/supervisor/sessions/prepare.ts';
import { openTestQueue } from '../../support/queue.ts';
import { tempDir } from '../../support/temp.ts';

type Prepared = {
  discipline?: Partial<DisciplineFields>;
  task?: Partial<Pick<Task, 'estimated_turns' | 'effort'>>;
  config?: Partial<Config>;
};

async function prepared({ discipline = {}, task = {}, config = {} }: Prepared): Promise<Launchable> {
  const [queue, root] = [await openTestQueue(), tempDir()];
  await createDiscipline(queue, { name: 'frontend', fields: discipline });
  await addTask(queue, { title: 'Build the form', discipline: 'frontend', ...task });
  const run_id = await startRun(queue, { pid: process.pid, process_started: null });
  const claimed = await claim(queue, { run_id, session_id: 's1' });
  if (claimed === null) throw new Error('nothing is ready');
  const { signal } = new AbortController();
  const input: SupervisorInput = {
    queue,
    root,
    stateDir: join(root, 'state'),
    version: '0.0.0',
    slotsFolder: join(root, 'slots'),
    sandbox: { level: 'off', bash: null, refused: new Map(), enclose: () => null },
    env: { BROWSER: '/opt/browser' },
    config: { ...(await readConfig(root)), ...config },
    trust: () => Promise.reject(new Error('must not be asked')),
    ralph: ['node', 'ralph.js'],
    sessions: { serve: () => Promise.reject(new Error('must not be asked')) },
    limits: { sessions: 1, budget_usd: 50, agent: null, model: null },
    wait: { enabled: false, pauseMs: 0 },
    baseline: { fix: false, accepted: [] },
    stop: { after: signal, now: signal },
    patience: openPatience({ after: signal, now: signal }),
    writePrompt: async () => ({
      system: 'Rules.',
      prompt: 'Work.',
      hash: '',
      sections: [],
      learnings: [],
      variant: null,
    }),
    sync: async () => {},
    settled: async () => false,
    tell: () => {},
  };
  const server = { command: 'node', args: ['relay.js'], env: { RALPH_TOKEN: 'x' } };
  const access = { socket: '/run/x.sock', folder: '/run/x', server, hook: ['node', 'relay.js', 'hook'] };
  const chosen = await chooseTaskAgent(input, claimed.task);
  return { ...(await prepare(input, claimed, chosen, 50, { root, env: {} })), access };
}

it("a session gets the MCP servers of its task's discipline beside Ralph's own, which none of them replaces", async () => {
  const browser = { name: 'browser', command: 'npx', args: ['browser-tools'], env: { BIN: `\${BROWSER}` } };
  const impostor = { name: 'ralph', command: 'evil', args: [], env: {} };
  const servers = async (discipline: Partial<DisciplineFields>): Promise<object> =>
    JSON.parse(claude.launch(await prepared({ discipline })).files['mcp.json'] ?? '').mcpServers;
  expect(await servers({ mcp_servers: [browser, impostor] })).toMatchObject({
    browser: { command: 'npx', args: ['browser-tools'], env: { BIN: '/opt/browser' } },
    ralph: { command: 'node', args: ['relay.js'], env: { RALPH_TOKEN: 'x' } },
  });
  expect(Object.keys(await servers({}))).toEqual(['ralph']);
});

it('a session has the turns that its task estimates, or else those of the configuration', async () => {
  expect((await prepared({ task: { estimated_turns: 10 } })).max_turns).toBe(10);
  expect((await prepared({})).max_turns).toBe(50);
});

it('a session has the effort of its task, else of its discipline, else of the project, and no browser', async () => {
  const [low, high] = [{ effort: 'low' as const }, { effort: 'high' as const }];
  expect((await prepared({ task: low, discipline: high, config: high })).effort).toBe('low');
  expect((await prepared({ discipline: low, config: high })).effort).toBe('low');
  const spec = await prepared({ config: high });
  expect(claude.launch(spec).command.join(' ')).toMatch(/ --effort high .* --no-chrome$/);
  expect(
    commandAgent({ command: ['x'], protocol: 'verbs', stream: 'lines', faults: NO_FAULTS }).launch(spec).env[
      'RALPH_EFFORT'
    ],
  ).toBe('high');
  // Without one the client's own default stands, which differs from model to model.
  expect(claude.launch(await prepared({})).command).not.toContain('--effort');
});

it('the command line of Claude Code names prompt, stream, servers, settings, model, turns, budget and permissions', async () => {
  const spec = await prepared({ task: { estimated_turns: 10 } });
  const { command, files } = claude.launch(spec);
  const valueAfter = (option: string): string | undefined => command[command.indexOf(option) + 1];
  expect(command.slice(0, 3)).toEqual(['claude', '-p', '/mcp__ralph__task_execution 1']);
  expect(command).toEqual(expect.arrayContaining(['--verbose', '--strict-mcp-config']));
  expect(
    ['--output-format', '--model', '--max-turns', '--max-budget-usd', '--permission-mode'].map(valueAfter),
  ).toEqual(['stream-json', 'haiku', '10', '2', 'bypassPermissions']);
  expect(valueAfter('--mcp-config')).toBe('/run/x/mcp.json');
  expect(valueAfter('--append-system-prompt-file')).toBe('/run/x/system.md');
  expect(files['system.md']).toBe('Rules.');
  expect(command.join(' ')).not.toContain(spec.folder);
  expect(JSON.parse(files['settings.json'] ?? '')).toMatchObject({
    hooks: { Stop: [{}] },
    permissions: { deny: expect.arrayContaining(['Write(.ralph/**)']) },
  });
});

it('Claude Code gets its own instructions on git only if the agent commits', async () => {
  const settings = async (commit: 'task' | 'agent') =>
    JSON.parse(claude.launch(await prepared({ config: { commit } })).files['settings.json'] ?? '');
  expect(await settings('task')).toMatchObject({ includeGitInstructions: false });
  expect(await settings('agent')).toMatchObject({ includeGitInstructions: true });
});
