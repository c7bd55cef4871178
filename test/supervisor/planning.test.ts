// Planning sessions with a scripted agent: a real MCP client on the real server, which works on a copy of the queue.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Step } from '../../scripts/demo/script.ts';
import { identify } from '../../src/host/processes/process-identity.ts';
import { findCarriers } from '../../src/host/processes/reap.ts';
import { databasePath, findProject } from '../../src/host/project.ts';
import { changesSince, closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { type Person, type Ran, runWithin, type TestProject } from '../support/ralph.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';
import { streamProject } from '../support/stream-client.ts';

const feature = (name: string, more: object = {}): Step => ({
  verb: 'create_feature',
  args: { name, spec_file: `specs/${name}.md`, priority: 1, acceptance_criteria: ['It works'], ...more },
});
const tasks = (...list: object[]): Step => ({ verb: 'create_tasks', args: { tasks: list } });
const update = (id: number, more: object): Step => ({ verb: 'update_task', args: { id, ...more } });

async function project(sessions: Readonly<Record<string, readonly (readonly Step[])[]>>, config = '') {
  const { project: made, promptOf, git } = await scripted(sessions, config);
  mkdirSync(join(made.root, 'specs'));
  writeFileSync(join(made.root, 'specs/orders.md'), '# Orders\n\nPeople order lamps.\n');
  return { ...made, promptOf, git, within: (...args: string[]) => within(made, args) };
}

const within = ({ root, home }: TestProject, args: readonly string[], person: Person = {}): Promise<Ran> =>
  runWithin(args, { cwd: root, env: { HOME: home, PATH: process.env['PATH'] }, ...person });

async function queueOf({ root }: TestProject): Promise<Queue> {
  const queue = await openQueue(databasePath(findProject(root).stateDir));
  onTestFinished(() => closeQueue(queue));
  return queue;
}

const ORDERS = [
  feature('orders'),
  tasks(
    { title: 'Create the orders table', feature: 'orders', discipline: 'backend' },
    { title: 'List orders', feature: 'orders', depends_on: ['@1'] },
  ),
];

describe('the codebase in the prompt of a planning session', () => {
  it('plan and braindump list the files that git does not ignore, and none that is gone', async () => {
    const made = await project({ plan: [ORDERS], braindump: [[tasks({ title: 'Track a lamp' })]] });
    for (const folder of ['src', 'dist', '.ralph/memory'])
      mkdirSync(join(made.root, folder), { recursive: true });
    for (const file of ['src/app.ts', 'src/gone.ts', 'dist/app.js', '.ralph/memory/x.jsonl', 'ü.txt'])
      writeFileSync(join(made.root, file), '\n');
    writeFileSync(join(made.root, '.gitignore'), 'dist\n');
    made.git('add', '-f', 'src', '.gitignore');
    made.git('-c', 'user.name=P', '-c', 'user.email=p@example.com', 'commit', '-qm', 'Begin');
    rmSync(join(made.root, 'src/gone.ts'));
    writeFileSync(join(made.root, 'notes.md'), 'Where is my lamp?\n');
    expect(await made.within('plan', '--yes')).toMatchObject({ code: 0 });
    expect(await made.within('braindump', 'notes.md')).toMatchObject({ code: 0 });
    for (const prompt of [made.promptOf('plan', 0), made.promptOf('braindump', 0)])
      expect(prompt).toContain(
        '\n```text\n.gitignore, notes.md, ü.txt\nspecs/\n  orders.md\nsrc/\n  app.ts\n```\n',
      );
    expect((await made.within('prompt', '1')).stdout).not.toContain('app.ts');
  });
});

describe('ralph plan', () => {
  it('ralph plan makes each specification a feature, and its tasks a queue, once a person has said yes', async () => {
    const made = await project({ plan: [ORDERS] });
    const { code, stdout } = await made.within('plan', '--yes');
    expect(stdout).toBe(
      [
        '+ feature orders: from specs/orders.md, priority 1, 1 criterion',
        '+ task Create the orders table [orders, backend]: ready',
        '+ task List orders [orders, no discipline]: after "Create the orders table"',
        '',
        '1 new feature, 2 new tasks (1 ready at once).',
        'Applied (cost not reported). Work on it: ralph run',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
    expect(await made.json('list')).toMatchObject([
      { id: 1, status: 'pending', provenance: 'agent', open_blockers: 0 },
      { id: 2, status: 'pending', depends_on: [1], open_blockers: 1 },
    ]);
    expect(made.promptOf('plan', 0)).toContain('every Markdown file of `specs/orders.md`');
    const queue = await queueOf(made);
    expect((await changesSince(queue, 0)).filter(({ kind }) => kind === 'planning.ended')).toMatchObject([
      { data: { recipe: 'plan', model: 'opus', proposed: { features: 1, added: 2 } } },
    ]);
    const folder = join(findProject(made.root).stateDir, 'planning');
    const [session = ''] = readdirSync(folder);
    expect(readdirSync(join(folder, session)).sort()).toEqual([
      'prompt.md',
      'stream.jsonl',
      'stream.stderr',
      'system.md',
    ]);
    expect((await made.within('log')).stdout).toMatch(
      /^No sessions yet;.*\n\nPlanning\n {2}\w{8} {2}plan {8}\d.*, opus, \d turns, cost not reported\n$/,
    );
    expect((await made.within('log', session.slice(0, 8))).stdout).toMatch(
      /plan[\s\S]*create_feature: orders/,
    );
  });

  it('ralph plan shows a plan, changes nothing, and applies exactly what it showed on request', async () => {
    const made = await project({ plan: [ORDERS] });
    const { code, stdout } = await made.within('plan', '--dry-run');
    const name =
      /Nothing was changed \(cost not reported\)\. Apply exactly this: ralph plan --apply (\w{8})\n$/.exec(
        stdout,
      )?.[1];
    expect({ code, name }).toEqual({ code: 0, name: expect.any(String) });
    expect(await made.json('list')).toEqual([]);
    expect(await made.within('plan', '--apply', name ?? '')).toMatchObject({
      code: 0,
      stdout: 'Applied: 1 feature, 2 tasks, 0 changed. Work on it: ralph run\n',
    });
    expect(await made.json('list')).toHaveLength(2);
    expect(await made.within('plan', '--apply', name ?? '')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no plan "${name}" to apply`),
    });
  });

  it('ralph plan waits for a person without a terminal, and accepts a no on one', async () => {
    const made = await project({ plan: [ORDERS] });
    expect(await made.within('plan')).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('Apply exactly this'),
    });
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return 'n';
    };
    expect(await within(made, ['plan'], { ask })).toMatchObject({ code: 0 });
    expect(asked).toEqual(['Apply it? [y/N] ']);
    expect(await made.json('list')).toEqual([]);
  });

  it('ralph plan proposes dependencies by the files that tasks name, and a person adds them', async () => {
    const steps = [
      feature('orders'),
      tasks(
        { title: 'List orders', feature: 'orders', context_files: ['src/orders.ts'] },
        { title: 'Create orders', feature: 'orders', output_artifacts: ['src/orders.ts'] },
      ),
    ];
    const made = await project({ plan: [steps, steps] });
    const { stdout } = await made.within('plan');
    expect(stdout).toContain(
      'A dependency seems to be missing:\n  "List orders" after "Create orders", which writes src/orders.ts\n',
    );
    expect(stdout).toMatch(/ralph plan --apply \w{8}, or with --add-dependencies\n$/);
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return 'y';
    };
    await within(made, ['plan'], { ask });
    expect(asked).toEqual(['Apply it? [y/N] ', 'Add these dependencies, too? [y/N] ']);
    expect(await made.json('list')).toMatchObject([
      { depends_on: [2], open_blockers: 1 },
      { depends_on: [] },
    ]);
  });

  it('a second ralph plan adds what is new, and leaves done tasks alone, whatever the agent tries', async () => {
    const made = await project({
      plan: [
        ORDERS,
        [
          feature('orders'),
          update(1, { title: 'Something else' }),
          tasks({ title: 'Create the orders table' }, { title: 'Never added' }),
          tasks({ title: 'Cancel orders', feature: 'orders', depends_on: [2] }),
          update(2, { priority: 'high' }),
        ],
        [],
      ],
      1: [[done('There.')]],
    });
    await made.within('plan', '--yes');
    expect(await made.within('run', '--once')).toMatchObject({ code: 0 });
    const before = await made.json('show', '1');
    const { code, stdout } = await made.within('plan', '--yes');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(
        [
          '+ task Cancel orders [orders, no discipline]: after #2',
          '~ task #2 List orders',
          '    priority: medium → high',
          '',
          '1 new task (0 ready at once), 1 task changed.',
        ].join('\n'),
      ),
    });
    expect(await made.json('show', '1')).toEqual(before);
    expect(await made.json('list')).toMatchObject([
      { id: 1, status: 'done' },
      { id: 2, priority: 'high', depends_on: [1] },
      { id: 3, title: 'Cancel orders', depends_on: [2] },
    ]);
    expect(await made.within('plan', '--yes')).toMatchObject({
      code: 0,
      stdout: 'Nothing is new: every specification has its feature (cost not reported).\n',
    });
  });

  it('ralph plan accepts tasks that were added meanwhile, even if the mirror is in git', async () => {
    const made = await project(
      { plan: [[...ORDERS, shell('touch ../ready; until test -e ../go; do sleep 0.05; done')]] },
      'mirror: implementation.json\n',
    );
    await made.json('list');
    made.git('add', '--force', 'implementation.json', 'specs');
    made.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-qm', 'Begin');
    const planning = made.within('plan', '--yes');
    await expect.poll(() => existsSync(join(made.root, '../ready'))).toBe(true);
    await made.json('add', 'Create the orders table');
    writeFileSync(join(made.root, '../go'), '');
    const { code, stdout, stderr } = await planning;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) });
    expect(stdout).toContain(
      '! #1 Create the orders table: was added during the session, so it is not added again',
    );
    expect(await made.json('list')).toMatchObject([
      { id: 1, title: 'Create the orders table' },
      { id: 2, title: 'List orders', depends_on: [1] },
    ]);
  });

  it('ralph plan does not believe an agent that says it has planned and made nothing', async () => {
    const made = await project({ plan: [[{ shell: 'true', says: 'I have planned everything.' }]] });
    expect(await made.within('plan', '--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^Nothing was planned, although the session finished \(cost not reported\): no feature comes from specs\/orders\.md\. See what it said: ralph log \w{8}\n$/,
      ),
    });
    expect(await made.within('plan', 'nowhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no Markdown file at nowhere'),
    });
    expect(await made.within('plan', '..')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('outside the project'),
    });
  });

  it.each([
    ['a specification', 'echo "and chairs" >> specs/orders.md'],
    ['any other file', 'echo mine > mine.txt'],
  ])('a plan counts for nothing if %s was changed meanwhile', async (_, line) => {
    const made = await project({ plan: [[...ORDERS, shell(line)]] });
    expect(await made.within('plan', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Files of the project changed while the plan was made'),
    });
    expect(await made.json('list')).toEqual([]);
  });

  it('ralph plan beside a run leaves out what changed meanwhile, renumbers what is new, and ignores changed files', async () => {
    const made = await project({
      plan: [
        [
          ...ORDERS,
          update(1, { priority: 'high' }),
          shell('touch ~/planning; while [ ! -e ~/edited ]; do sleep 0.05; done; echo work > work.txt'),
        ],
      ],
    });
    await made.json('add', 'Sell lamps');
    await startRun(await queueOf(made), identify(process.pid));
    const planning = within(made, ['plan'], { ask: async () => 'yes' });
    await expect.poll(() => existsSync(join(made.home, 'planning'))).toBe(true);
    await made.json('edit', '1', '--priority', 'low');
    await made.json('add', 'In between');
    writeFileSync(join(made.home, 'edited'), '');
    const { stdout } = await planning;
    expect(stdout).toContain('! #1 Sell lamps: not changed, because it was edited during the session');
    expect(await made.json('list')).toMatchObject([
      { id: 1, priority: 'low' },
      { id: 2, title: 'In between' },
      { id: 3, title: 'Create the orders table' },
      { id: 4, title: 'List orders', depends_on: [3] },
    ]);
  });

  it('Ralph refuses a whole plan if a task that it changes has changed before the yes', async () => {
    const made = await project({ plan: [[...ORDERS, update(1, { priority: 'high' })]] });
    await made.json('add', 'Sell lamps');
    const ask = async (): Promise<string> => {
      await made.json('edit', '1', '--priority', 'low');
      return 'y';
    };
    expect(await within(made, ['plan'], { ask })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Task 1 was changed meanwhile, so nothing was applied; plan again.'),
    });
    expect(await made.json('list')).toMatchObject([{ id: 1, priority: 'low' }]);
  });

  it('ralph plan ends at the first Ctrl-C, with nothing changed and nothing left behind', async () => {
    const made = await project({});
    writeFileSync(
      join(made.root, '.ralph/config.yaml'),
      'agent: slow\nagents: { slow: { command: ["sleep", "60"] } }\n',
    );
    await made.json('trust', '--yes');
    const env = { HOME: made.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
    const ralph = spawn(process.execPath, [inject('ralph'), 'plan', '--yes'], { cwd: made.root, env });
    let stdout = '';
    ralph.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    const folder = join(findProject(made.root).stateDir, 'planning');
    const streams = () =>
      existsSync(folder)
        ? readdirSync(folder).filter((id) => existsSync(join(folder, id, 'stream.jsonl')))
        : [];
    await expect.poll(streams).toHaveLength(1);
    ralph.kill('SIGINT');
    expect(await once(ralph, 'exit')).toEqual([130, null]);
    expect(stdout).toBe('Stopped by you; nothing was changed.\n');
    const [session = ''] = streams();
    expect(findCarriers(`RALPH_SESSION_ID=${session}`)).toEqual([]);
    expect(existsSync(join(folder, session, 'ralph.db'))).toBe(false);
  });

  it("ralph plan reads a person's earlier edits of the mirror, and ignores what its agent wrote there", async () => {
    const file = 'implementation.json';
    const tamper = `sed -i s/pending/completed/ ${file}; ${process.execPath} ${inject('ralph')} list`;
    const made = await project({ plan: [[shell(tamper), ...ORDERS]] }, `mirror: ${file}\n`);
    await made.json('add', 'One');
    const path = join(made.root, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace('"One"', '"Uno"'));
    expect(await made.within('plan', '--yes')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        `${file} was changed while a session was at work; its change was not taken in`,
      ),
    });
    expect(made.promptOf('plan', 0)).toContain('Uno');
    expect(await made.json('list')).toMatchObject([
      { title: 'Uno', status: 'pending' },
      { title: 'Create the orders table', status: 'pending' },
      { title: 'List orders', status: 'pending' },
    ]);
    expect(readFileSync(path, 'utf8')).not.toContain('completed');
  });
});

describe('ralph braindump and ralph enrich', () => {
  it('ralph braindump that meets a limit of the API says so, and adds nothing', async () => {
    const { project: made, env, write } = await streamProject();
    write('braindump', [{ turns: [], report: { error: 'rate_limit', status: 429 } }]);
    writeFileSync(join(made.root, 'page.md'), 'Where is my lamp?\n');
    expect(await runWithin(['braindump', 'page.md'], { cwd: made.root, env })).toMatchObject({
      code: 12,
      stdout: expect.stringMatching(/^The API limits how much .*; run ralph braindump again later\.\n$/),
    });
    expect(await made.json('list', '--status', 'draft')).toEqual([]);
  });

  it('ralph braindump makes only drafts, and says what it cost', async () => {
    const made = await project({
      braindump: [
        [
          {
            verb: 'create_tasks',
            args: { draft: false, tasks: [{ title: 'Track orders' }, { title: 'Dark mode' }] },
          },
        ],
        [],
      ],
    });
    const notes = join(made.root, 'notes.md');
    writeFileSync(notes, 'where is my lamp? ümläut\n');
    expect(await made.within('braindump', 'notes.md')).toMatchObject({
      code: 0,
      stdout:
        '~ #1 Track orders [no discipline]\n~ #2 Dark mode [no discipline]\n\n2 drafts, cost not reported. Make them ready: ralph enrich. Queue them as they are: ralph approve\n',
    });
    expect(made.promptOf('braindump', 0)).toContain('> where is my lamp? ümläut');
    expect(await made.json('list', '--status', 'draft')).toHaveLength(2);
    expect(await within(made, ['braindump', '-'], { stdin: 'so many things' })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('The session made no draft of it'),
    });
    expect(made.promptOf('braindump', 1)).toContain('> so many things');
  });

  it('ralph braindump and ralph enrich need something to begin with', async () => {
    const made = await project({});
    const nothing = { code: 1, stderr: expect.stringContaining('There is nothing to sort') };
    expect(await made.within('braindump')).toMatchObject(nothing);
    expect(await made.within('braindump', 'notes.md')).toMatchObject({
      code: 1,
      stderr: 'ralph: notes.md cannot be read (ENOENT); give a text file.\n',
    });
    const huge = join(made.root, 'huge.md');
    writeFileSync(huge, '');
    truncateSync(huge, 200_000_000);
    expect(await made.within('braindump', 'huge.md')).toMatchObject({
      code: 1,
      stderr: 'ralph: huge.md is 200000000 bytes large; at most 800000 are read.\n',
    });
    expect(await made.within('enrich')).toMatchObject({ code: 0, stdout: 'There is no draft to enrich.\n' });
    await made.json('add', 'Queued');
    expect(await made.within('enrich', '1')).toMatchObject({
      code: 1,
      stderr: 'ralph: Task 1 is queued; only drafts are enriched.\n',
    });
  });

  it('ralph braindump takes the text of the editor on a terminal', async () => {
    const made = await project({ braindump: [[tasks({ title: 'Track orders' })]] });
    const env = { HOME: made.home, PATH: process.env['PATH'], EDITOR: 'sed -i "1s/^/where is my lamp/"' };
    const ask = async () => '';
    expect(await runWithin(['braindump'], { cwd: made.root, env, ask })).toMatchObject({ code: 0 });
    expect(made.promptOf('braindump', 0)).toMatch(/> where is my lamp\n\n## How/);
    expect(
      await runWithin(['braindump'], { cwd: made.root, env: { ...env, EDITOR: 'false' }, ask }),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The editor "false" could not be used (1)'),
    });
  });

  it('ralph enrich enriches the drafts of a feature together, queues them, and touches no other task', async () => {
    const enrichTask = (id: number, more: object = {}): Step => ({
      verb: 'enrich_task',
      args: { id, pseudocode: '1. Do it.', acceptance_criteria: ['It is done'], estimated_turns: 5, ...more },
    });
    const made = await project({
      enrichment: [
        [enrichTask(1), enrichTask(2, { keep_draft: true, description: 'Unclear: which?' }), enrichTask(4)],
        [],
        [enrichTask(3)],
      ],
    });
    writeFileSync(join(made.root, '.ralph/features.yaml'), 'features: [{ name: orders }]\n');
    await made.json('add', 'One', '--draft', '--feature', 'orders');
    await made.json('add', 'Two', '--draft', '--feature', 'orders');
    await made.json('add', 'Three', '--draft');
    await made.json('add', 'Four');
    const { code, stdout } = await made.within('enrich');
    expect(stdout).toMatch(
      /^✓ #1 One: in the queue\n~ #2 Two: enriched, stays a draft; .*\n~ #3 Three: not enriched; ralph log \w{8} says why\n2 drafts enriched, cost not reported\. Still drafts: #2 #3\.\n$/,
    );
    expect(code).toBe(0);
    expect(await made.json('list')).toMatchObject([
      {
        id: 1,
        status: 'pending',
        pseudocode: '1. Do it.',
        estimated_turns: 5,
        enriched_at: expect.any(Number),
      },
      { id: 2, status: 'draft', enriched_at: expect.any(Number) },
      { id: 3, status: 'draft', enriched_at: null },
      { id: 4, status: 'pending', pseudocode: null, enriched_at: null },
    ]);
    expect(made.promptOf('enrichment', 0)).toMatch(/### #1 One[\s\S]*### #2 Two/);
    expect(made.promptOf('enrichment', 0)).not.toContain('### #3');
    expect(await made.within('enrich', '3', '--draft')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('~ #3 Three: enriched, stays a draft'),
    });
  });

  it('a planning session that cannot start exits with the code of a run, and removes what a killed Ralph left', async () => {
    const made = await project({});
    const dead = join(findProject(made.root).stateDir, 'planning/dead');
    mkdirSync(dead, { recursive: true });
    const left = spawn('sleep', ['60'], { env: { RALPH_SESSION_ID: 'dead', PATH: process.env['PATH'] } });
    onTestFinished(() => void left.kill('SIGKILL'));
    const ended = once(left, 'exit');
    writeFileSync(join(dead, 'owner.json'), JSON.stringify({ pid: 2 ** 22 - 1, process_started: '1' }));
    for (const name of ['ralph.db', 'ralph.db.7.part', 'mcp.json', 'stream.jsonl'])
      writeFileSync(join(dead, name), '');
    writeFileSync(
      join(made.root, '.ralph/config.yaml'),
      'agents: { gone: { command: ["./gone"] }, tags: { command: ["true"], protocol: sigils } }\n',
    );
    writeFileSync(join(made.root, 'notes.md'), 'where is my lamp?\n');
    await made.json('trust', '--yes');
    expect(await made.within('braindump', 'notes.md', '--agent', 'gone')).toMatchObject({
      code: 13,
      stdout: expect.stringContaining('The agent "gone" cannot be started (ENOENT)'),
    });
    expect(await made.within('plan', '--agent', 'tags')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('reports by sigils'),
    });
    expect(readdirSync(dead)).toEqual(['stream.jsonl']);
    expect(await ended).toEqual([null, expect.stringMatching(/^SIG/)]);
    expect(await made.json('list')).toEqual([]);
  });
});
