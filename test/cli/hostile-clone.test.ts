// A repository that somebody else made: until a person trusts it nothing of it is executed, and nothing outside of it is read.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { allCommands } from '../../src/cli/index.ts';
import { acted, asked, dashboard, dashboardWithin } from '../support/dashboard.ts';
import { type Hostile, type HostileKind, hostileProject } from '../support/hostile.ts';
import { callTool, claimed, connect, connectWithin } from '../support/mcp.ts';
import { ACTION_SAMPLES, VIEW_SAMPLES } from '../support/ui-samples.ts';
import { webhook } from '../support/webhook.ts';

type Case = { args: string[]; code: number };

const ok = (...args: string[]): Case => ({ args, code: 0 });
const refused = (...args: string[]): Case => ({ args, code: 1 });

/** Every command, in an order in which each has something to do. One without a case fails the test below. */
const CASES: Readonly<Record<string, readonly Case[]>> = {
  status: [ok('status')],
  list: [ok('list'), ok('list', '--status', 'draft')],
  show: [ok('show', '1')],
  next: [ok('next')],
  why: [ok('why', '1')],
  graph: [
    ok('graph', '--all'),
    ok('graph', '1', '--mermaid'),
    ok('graph', '--svg', '--output', 'drawn/graph.svg'),
  ],
  prompt: [
    ok('prompt', '1'),
    ok('prompt', '1', '--explain'),
    ok('prompt', '1', '--recipe', 'opus_review'),
    ok('prompt', '2', '--recipe', 'enrichment'),
    refused('prompt', '1', '--diff'),
  ],
  run: [refused('run'), refused('run', '--once', '--agent', 'claude'), refused('run', '--model', 'opus')],
  review: [refused('review', '1')],
  plan: [refused('plan'), refused('plan', '--yes', 'docs'), refused('plan', '--apply', 'a')],
  braindump: [refused('braindump', 'backlog.yaml')],
  enrich: [refused('enrich'), refused('enrich', '2')],
  talk: [refused('talk', 'yap')],
  log: [ok('log'), ok('log', '--feature', 'auth'), refused('log', 'a')],
  learn: [ok('learn', 'A fact of somebody'), ok('learn', 'list'), refused('learn', 'show', '99')],
  search: [ok('search', 'auth token')],
  recipe: [refused('recipe', 'compare', 'base', 'short')],
  report: [refused('report'), refused('report', '--html', '--output', 'drawn/report.html')],
  serve: [ok('serve'), refused('serve', '--host', '0.0.0.0')],
  ui: [{ args: ['ui', '--port', 'x'], code: 2 }],
  worker: [refused('worker'), refused('worker', '--jobs', '2')],
  mcp: [ok('mcp')],
  'mcp-config': [ok('mcp-config', 'codex'), ok('mcp-config', 'vscode', '--npx')],
  statusline: [ok('statusline')],
  hook: [ok('hook', 'session-start'), ok('hook', 'stop')],
  fleet: [ok('fleet'), refused('fleet', 'drain', 'a')],
  database: [ok('database', 'status')],
  trust: [refused('trust')],
  notify: [refused('notify', 'test'), refused('notify', 'send')],
  add: [ok('add', 'One more', '--feature', 'auth')],
  edit: [ok('edit', '1', '--priority', 'high')],
  approve: [{ args: ['approve'], code: 2 }, ok('approve', '2')],
  retry: [refused('retry', '1')],
  skip: [ok('skip', '3')],
  comment: [ok('comment', '1', 'A word of somebody')],
  flag: [ok('flag', 'list'), refused('flag', 'close', '1')],
  files: [ok('files'), refused('files', 'remove', 'auth', 'a.ts')],
  feature: [
    ok('feature', 'list'),
    ok('feature', 'show', 'auth'),
    refused('feature', 'edit', 'auth', '--description', 'x'),
    refused('feature', 'remove', 'auth', '--yes'),
  ],
  discipline: [ok('discipline', 'list'), refused('discipline', 'show', 'none')],
  remove: [refused('remove', '3'), ok('list', '--archived')],
  answer: [refused('answer', '1', 'yes')],
  import: [ok('import', 'backlog.yaml'), refused('import', 'package.json')],
  export: [
    ok('export', 'exported'),
    ok('export'),
    ok('export', '--as', 'markdown'),
    ok('export', '--as', 'implementation'),
    ok('export', '--as', 'implementation', 'plan.json'),
  ],
  completion: [ok('completion', 'bash')],
  slots: [ok('slots', 'list'), ok('slots', 'clean', '--all')],
  land: [ok('land')],
  diff: [refused('diff', '1')],
  doctor: [refused('doctor'), refused('doctor', '--fix'), refused('doctor', '--slots')],
  init: [ok('init', '--yes')],
};

/** They take the streams of a process for themselves. */
const NEED_PROCESS = ['serve', 'mcp', 'completion'];
/** The others start in the same way, and are one program: what the first case of these shows of a process holds for all. */
const ALSO_AS_PROCESS = ['status', 'run', 'statusline', 'hook', 'doctor', 'init'];

/** Not among the commands, because no person types them. */
const HIDDEN: readonly Case[] = [ok('complete', '--', 'show', '')];

it('the hostile repository is tried with every command', async () => {
  expect(Object.keys(CASES).sort()).toEqual((await allCommands()).map(({ name }) => name).sort());
});

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** One sentence where it refuses; never a mark, an escape code, or a word of what is outside. */
async function runCase(project: Hostile, run: Hostile['ralph'], { args, code }: Case): Promise<void> {
  const about = `ralph ${args.join(' ')}`;
  const { code: ended, stdout, stderr } = await run(...args);
  expect({ about, code: ended, stderr: ended === code ? '' : stderr }).toEqual({ about, code, stderr: '' });
  if (code !== 0 && args[0] !== 'doctor') {
    expect({ about, stdout }).toEqual({ about, stdout: '' });
    expect(stderr, about).toMatch(/^ralph: [^\n]+\n$/);
  }
  expect(stdout, about).not.toMatch(CONTROL);
  expect(stderr, about).not.toMatch(CONTROL);
  expect(`${stdout}${stderr}`, about).not.toContain(project.secret);
  expect(stderr, about).not.toMatch(/Unexpected error|^\s+at /m);
  expect({ about, marks: project.marks() }).toEqual({ about, marks: [] });
}

const KINDS: readonly [string, HostileKind][] = [
  ['was cloned', { by: 'clone' }],
  ['was copied, with its git directory', { by: 'copy' }],
];

describe.each(KINDS)('a hostile repository that %s', (_, kind) => {
  it('a hostile repository gets no command to execute its files or read files outside', async () => {
    const project = hostileProject(kind);
    const before = project.outsideFiles();
    // A copy has all that a clone has: what its files do to a process that starts among them is seen there.
    const isCopy = kind.by === 'copy';
    for (const [name, cases] of Object.entries(CASES))
      for (const [nth, one] of cases.entries()) {
        const needsProcess = NEED_PROCESS.includes(name);
        const asProcess = needsProcess || (nth === 0 && ALSO_AS_PROCESS.includes(name));
        if (isCopy && asProcess) await runCase(project, project.ralph, one);
        else if (!needsProcess) await runCase(project, project.within, one);
      }
    for (const one of HIDDEN) await runCase(project, isCopy ? project.ralph : project.within, one);
    for (const name of ['list', 'show', 'prompt', 'doctor', 'trust']) {
      const { stdout, stderr } = await project.within(...(CASES[name]?.[0]?.args ?? []), '--json');
      expect(`${stdout}${stderr}`, name).not.toContain(project.secret);
    }
    expect(project.marks()).toEqual([]);
    expect(project.outsideFiles()).toEqual(before);
  });

  it('the dashboard of a hostile repository opens and accepts what a person does there', async () => {
    const project = hostileProject(kind);
    const before = project.outsideFiles();
    const place = await (kind.by === 'copy' ? dashboard : dashboardWithin)(project);
    const opened = ['docs/link.md', 'folder-link/note.md', '../outside/note.md', '.env'];
    const answers = [
      ...VIEW_SAMPLES.map((path) => [path, () => asked(place, path)] as const),
      ...opened.map((path) => [path, () => asked(place, `/api/document?path=${path}`)] as const),
      ...ACTION_SAMPLES.map(({ name, input }) => [name, () => acted(place, name, input)] as const),
    ];
    for (const [about, ask] of answers) {
      const answer = await ask();
      // Shown or done, or refused with a reason: none of them was misunderstood. One needs the code of the person's terminal.
      const refusal = about === 'definitions' ? 403 : 409;
      expect([about, answer.status]).toEqual([about, expect.toBeOneOf([200, refusal])]);
      expect(await answer.text(), about).not.toContain(project.secret);
    }
    expect(project.marks()).toEqual([]);
    expect(project.outsideFiles()).toEqual(before);
  });

  it('the server of a hostile repository accepts no done from a client or a session', async () => {
    const project = hostileProject(kind);
    // As a process, too, whose folder is the repository.
    const client = await (kind.by === 'copy' ? connect : connectWithin)(project, { env: project.env });
    const refusal = { isError: true, text: expect.stringContaining('ralph trust') };
    const noSlots = { isError: true, text: expect.stringMatching(/cannot work in slots here.*in_place/) };
    expect(await callTool(client, 'next_task')).toMatchObject(noSlots);
    const taken = await callTool(client, 'next_task', { in_place: true });
    expect(taken).toMatchObject({ isError: false });
    expect(taken.text).not.toContain(project.secret);
    expect(await callTool(client, 'done', { summary: 'Built.' })).toMatchObject(refusal);
    for (const { uri } of (await client.listResources()).resources)
      expect(JSON.stringify(await client.readResource({ uri })), uri).not.toContain(project.secret);
    const { env } = await claimed(project, 'bound');
    const bound = await connectWithin(project, { env: { ...project.env, ...env } });
    await callTool(bound, 'done', { summary: 'Built.' });
    expect(await project.within('run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ralph trust'),
    });
    expect(project.marks()).toEqual([]);
  });
});

it("plain git, without Ralph's precautions, falls for the traps", () => {
  const { root, env, marks } = hostileProject({ by: 'copy' });
  const options = { cwd: root, env: { ...env, PATH: process.env['PATH'] }, stdio: 'ignore' } as const;
  spawnSync('git', ['status'], options);
  spawnSync('git', ['hash-object', '--path', 'docs/changed.md', 'docs/changed.md'], options);
  expect(marks()).toEqual(expect.arrayContaining(['evil-process', 'fsmonitor']));
});

/** What looks at every file, or writes one. */
const LOOKING = ['status', 'list', 'prompt', 'run', 'trust', 'doctor', 'init'];

async function lookEverywhere(project: Hostile): Promise<string> {
  const before = project.outsideFiles();
  let said = '';
  for (const name of LOOKING) {
    const { stdout, stderr } = await project.within(...(CASES[name]?.[0]?.args ?? []));
    expect(`${stdout}${stderr}`, name).not.toContain(project.secret);
    expect(stderr, name).toMatch(/^(ralph: [^\n]+\n)?$/);
    said += `${stdout}${stderr}`;
  }
  expect(project.marks()).toEqual([]);
  expect(project.outsideFiles()).toEqual(before);
  for (const [file, text] of Object.entries(project.ownFiles()))
    expect({ file, leaks: text.includes(project.secret) }).toEqual({ file, leaks: false });
  return said;
}

describe('of a hostile repository', () => {
  const links: [string, string][] = [
    ['.ralph/config.yaml', 'key.txt'],
    ['.ralph/tasks.yaml', 'definitions.yaml'],
    ['.ralph/metadata.yaml', 'key.txt'],
    ['.ralph/recipes/task_execution.yaml', 'recipe.yaml'],
    ['.ralph/recipes', 'recipes'],
    ['.ralph/db', 'db'],
    ['.ralph/state', 'folder'],
    ['.ralph/state/ralph.db', 'ralph.db'],
    ['.ralph', 'folder'],
    ['ralph.json', 'servers.json'],
    ['ralph.json', 'not-there.json'],
  ];
  it.each(links)('Ralph does not follow a link out of the repository: %s to %s', async (file, target) => {
    const project = hostileProject({ by: 'clone', also: relink(file, target) });
    expect(await lookEverywhere(project)).toMatch(/is a link( that leaves the project)?[;.]/);
  });

  it('init reads the description only from files of the repository itself', async () => {
    const also = (root: string, outside: string): void => {
      relink('package.json', 'package.json')(root, outside);
      rmSync(join(root, '.ralph'), { recursive: true });
      mkdirSync(join(root, '.claude'));
      symlinkSync(join(outside, 'key.txt'), join(root, '.claude/settings.json'));
    };
    await lookEverywhere(hostileProject({ by: 'clone', also }));
  });

  it.each(['ralph', 'info/exclude', 'info'])(
    'no link in its git directory is written through: %s',
    async (file) => {
      const also = relink(join('.git', file), file === 'info/exclude' ? 'ignored' : 'folder');
      await lookEverywhere(hostileProject({ by: 'copy', also }));
    },
  );

  it.each(['config.yaml', 'tasks.yaml', 'recipes/task_execution.yaml'])(
    'a bomb is refused: %s',
    async (file) => {
      const also = (root: string) => writeFileSync(join(root, '.ralph', file), BOMB);
      expect(await lookEverywhere(hostileProject({ by: 'clone', also }))).toContain(
        `.ralph/${file} uses too many YAML aliases`,
      );
    },
  );

  it("commands in Claude Code's settings have to be trusted", async () => {
    const project = hostileProject({ by: 'clone', also: settingsOnly });
    expect(await project.within('run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ralph trust'),
    });
    expect((await project.within('trust', '--yes')).stdout).toContain(
      'hooks of .claude/settings.json: {"Stop":',
    );
    writeFileSync(join(project.root, '.claude/settings.local.json'), '{"permissions":{"allow":["Read"]}}');
    expect(await project.json('trust')).toMatchObject({ trusted: true });
    writeFileSync(join(project.root, '.claude/settings.local.json'), '{"apiKeyHelper":"./steal"}');
    expect(await project.within('run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ralph trust'),
    });
  });
});

const relink =
  (file: string, target: string) =>
  (root: string, outside: string): void => {
    rmSync(join(root, file), { recursive: true, force: true });
    mkdirSync(dirname(join(root, file)), { recursive: true });
    symlinkSync(join(outside, target), join(root, file));
  };

const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, index) => {
    const before = 'abcdefgh'[index];
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`;
  }),
].join('\n');

function settingsOnly(root: string): void {
  rmSync(join(root, '.ralph'), { recursive: true });
  mkdirSync(join(root, '.ralph'));
  writeFileSync(join(root, '.ralph/tasks.yaml'), 'tasks:\n  - title: One\n');
  mkdirSync(join(root, '.claude'));
  const hook = { hooks: [{ type: 'command', command: 'touch executed' }] };
  writeFileSync(join(root, '.claude/settings.json'), JSON.stringify({ hooks: { Stop: [hook] } }));
}

describe('trust', () => {
  it('a webhook of a hostile repository is called by no command before a person trusts it, and then once', async () => {
    const { url, bodies } = await webhook();
    const also = (root: string): void => {
      const file = join(root, '.ralph/config.yaml');
      const config = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify({ ...config, notify: [{ webhook: url }] }));
    };
    const project = hostileProject({ by: 'clone', also });
    // There is something to tell, if anything looked.
    const client = await connectWithin(project, { env: project.env });
    await callTool(client, 'next_task', { in_place: true });
    await callTool(client, 'ask', { question: 'Which zone?', blocking: true });
    await callTool(client, 'partial', { summary: 's', remaining: 'r' });
    for (const args of [['run'], ['run', '--in-place'], ['worker'], ['notify', 'test'], ['notify', 'send']])
      expect(await project.within(...args)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('ralph trust'),
      });
    for (const args of [['doctor'], ['status'], ['trust'], ['land'], ['hook', 'stop']])
      await project.within(...args);
    expect(bodies).toEqual([]);
    await project.json('trust', '--yes');
    expect(await project.within('notify', 'test')).toMatchObject({ code: 0 });
    expect(bodies.map((body) => JSON.parse(body).needs)).toMatchObject([
      [{ text: 'This is a test: Ralph can reach you.' }],
    ]);
  });

  it('trust holds for the commands that were shown, and ends when they change', async () => {
    const project = hostileProject({ by: 'clone' });
    const config = join(project.root, '.ralph/config.yaml');
    expect(await project.within('trust', '--yes')).toMatchObject({ code: 0 });
    expect(await project.json('trust')).toMatchObject({ trusted: true });
    writeFileSync(config, readFileSync(config, 'utf8').replace('/gate', '/other'));
    expect(await project.within('run')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('ralph trust'),
    });
    expect(project.marks()).toEqual([]);
  });

  it('trust does not cover an MCP server that a session wrote', async () => {
    const project = hostileProject({ by: 'clone' });
    const file = join(project.root, '.ralph/disciplines.yaml');
    const agent = `sed -i s/mcp-server/written/ ${file}`;
    writeFileSync(
      join(project.root, '.ralph/config.yaml'),
      JSON.stringify({ agent: 'mine', agents: { mine: { command: ['sh', '-c', agent] } } }),
    );
    await project.json('trust', '--yes');
    // The repository names filters, as LFS does, so it cannot have slots.
    expect(await project.within('run', '--in-place')).toMatchObject({
      stdout: expect.stringMatching(/#1[\s\S]*it counts once you approve it: ralph approve --definitions/),
    });
    expect(project.marks()).toEqual([]);
  });
});
