import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databasePath, findProject } from '../../src/host/project.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { callTool, claimed, connectWithin, ERAS, queueOf, readText } from '../support/mcp.ts';
import { runSession } from '../support/queue.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

const FEATURES = `features:
  - name: auth
    display_name: Authentication
    description: Sign-in with sessions.
    knowledge_paths: [docs/auth.md, docs/deep]
    context_files: ["src/*.ts"]
`;

async function withFeature(): Promise<TestProject> {
  const project = await initialised();
  const { root } = project;
  for (const folder of ['docs/deep', 'src']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'docs/auth.md'), '# Auth\n\nTokens are hashed.\n');
  writeFileSync(join(root, 'docs/deep/notes.md'), 'deep\n');
  writeFileSync(join(root, 'docs/other.md'), 'not declared\n');
  writeFileSync(join(root, 'src/login.ts'), 'export const login = 1;\n');
  writeFileSync(join(root, 'src/[id].ts'), 'export const id = 1;\n');
  writeFileSync(join(root, 'docs/deep/.env'), 'KEY=secret\n');
  writeFileSync(join(root, '.ralph/features.yaml'), FEATURES);
  return project;
}

describe.each(ERAS)('resources (%s)', (era) => {
  it('resources are listed with titles and one line each', async () => {
    const project = await withFeature();
    await project.json('add', 'Log in', '--feature', 'auth');
    const client = await connectWithin(project, { era });
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'ralph://project',
      'ralph://queue',
      'ralph://questions',
      'ralph://flags',
      'ralph://features',
      'ralph://features/auth',
      'ralph://features/auth/files/docs/auth.md',
      'ralph://features/auth/files/docs/deep/notes.md',
      'ralph://features/auth/files/src/%5Bid%5D.ts',
      'ralph://features/auth/files/src/login.ts',
      'ralph://disciplines/backend',
      'ralph://tasks/1',
    ]);
    for (const { title, description } of resources) {
      expect(title).toMatch(/^[^\n]+$/);
      expect(description).toMatch(/^[^\n]+$/);
    }
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      'ralph://features/{name}/files/{+path}',
    );
  });

  it('resources read well', async () => {
    const project = await withFeature();
    await project.json('add', 'Log in', '--feature', 'auth', '--description', 'With a password.');
    const client = await connectWithin(project, { era });
    expect(await readText(client, 'ralph://features/auth')).toBe(`# Authentication

Feature \`auth\`, active.

Sign-in with sessions.

## Documents and code

- docs/auth.md: ralph://features/auth/files/docs/auth.md
- docs/deep
- src/*.ts

## Tasks

- [ ] #1 Log in (pending)
`);
    expect(await readText(client, 'ralph://tasks/1')).toBe(`# #1 Log in

- status: pending
- priority: medium
- feature: auth

With a password.
`);
    expect(await readText(client, 'ralph://queue')).toContain('Next: #1 Log in');
    expect(await readText(client, 'ralph://project')).toContain('- auth: Sign-in with sessions.');
    expect(await readText(client, 'ralph://questions')).toContain('There are none.');
    expect(await readText(client, 'ralph://disciplines/backend')).toContain('## Skills');
    expect(await readText(client, 'ralph://tasks/1/prompt')).toContain('## Your task: #1 Log in');
    expect(await readText(client, 'ralph://features/auth/files/docs/auth.md')).toBe(
      '# Auth\n\nTokens are hashed.\n',
    );
    expect(await readText(client, 'ralph://features/auth/files/src/%5Bid%5D.ts')).toContain('id = 1');
  });

  it('resources count the tries of a task, and say that the process of a session is gone', async () => {
    const project = await initialised();
    await project.json('add', 'Log in');
    const queue = await queueOf(project);
    await runSession(queue, [{ verb: 'stuck', reason: 'No idea.' }]);
    const run_id = await startRun(queue, { pid: 2 ** 22 + 1, process_started: null });
    await claim(queue, { run_id, session_id: 'left' });
    const client = await connectWithin(project, { era });
    const text = await readText(client, 'ralph://tasks/1');
    expect(text).toContain('- tries: 2\n');
    expect(text).toMatch(/- try 1, stuck: ralph:\/\/sessions\/session-\d+\n/);
    expect(text).toContain('- try 2, left behind: ralph://sessions/left\n');
    expect(text).toContain('Its process is gone; the next ralph run finishes it.');
    expect(await readText(client, 'ralph://sessions/left')).toContain('- ended: Its process is gone;');
  });

  it('that are not there are said not to be', async () => {
    const client = await connectWithin(await withFeature(), { era });
    for (const uri of [
      'ralph://nothing',
      'ralph://tasks/99',
      'ralph://tasks/0',
      'ralph://tasks/1e3',
      'ralph://features/none',
      'ralph://sessions/none',
      'ralph://tasks/1/receipt',
      'file:///etc/passwd',
    ])
      await expect(client.readResource({ uri })).rejects.toThrow();
  });
});

const ESCAPES = [
  'docs/other.md',
  '../outside.md',
  '..%2F..%2Fetc%2Fpasswd',
  '%252e%252e%252fetc%252fpasswd',
  'docs/auth.md%00.png',
  'docs/../docs/auth.md',
  '/etc/passwd',
  '%2Fetc%2Fpasswd',
  '\u2024\u2024/etc/passwd',
  'docs/link.md',
  'docs/deep/link-folder/passwd',
  'docs/deep/.env',
  '%ff',
];

it('resources are files that the feature names, inside the project, and no secrets', async () => {
  const project = await withFeature();
  writeFileSync(join(project.root, '../outside.md'), 'outside: root:\n');
  symlinkSync('/etc/passwd', join(project.root, 'docs/link.md'));
  symlinkSync('/etc', join(project.root, 'docs/deep/link-folder'));
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    FEATURES.replace('docs/deep]', 'docs/deep, docs/link.md, ../outside.md, /etc/passwd]'),
  );
  const client = await connectWithin(project);
  const told = await Promise.all(
    ESCAPES.map((path) =>
      client.readResource({ uri: `ralph://features/auth/files/${path}` }).then(
        ({ contents }) => `${path} was shown: ${JSON.stringify(contents)}`,
        ({ message }: Error) => (/root:|KEY=/.test(message) ? message : null),
      ),
    ),
  );
  expect(told.filter((one) => one !== null)).toEqual([]);
});

it('no resource is found by a link into a folder that holds secrets', async () => {
  const project = await initialised();
  mkdirSync(join(project.root, 'config/private'), { recursive: true });
  writeFileSync(join(project.root, 'config/private/token.txt'), 'S3CRET\n');
  symlinkSync('config/private', join(project.root, 'docs'));
  writeFileSync(join(project.root, '.ralph/config.yaml'), 'knowledge: { secrets: ["config/private/**"] }\n');
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features: [{ name: f, knowledge_paths: [docs] }]\n',
  );
  await project.json('add', 'One', '--feature', 'f');
  const client = await connectWithin(project);
  await expect(client.readResource({ uri: 'ralph://features/f/files/docs/token.txt' })).rejects.toThrow(
    /secrets/,
  );
  expect(await readText(client, 'ralph://tasks/1/prompt')).not.toContain('S3CRET');
  expect(JSON.stringify(await client.listResources())).not.toContain('token.txt');
});

it('the resources of a bound session are those of its task and its feature, and one prompt', async () => {
  const project = await withFeature();
  await project.json('add', 'Log in', '--feature', 'auth', '--discipline', 'backend', '--priority', 'high');
  await project.json('add', 'Another');
  const { env } = await claimed(project, 'scoped');
  const client = await connectWithin(project, { env });
  const uris = (await client.listResources()).resources.map(({ uri }) => uri);
  expect(uris).toContain('ralph://features/auth/files/docs/auth.md');
  expect(uris).toContain('ralph://tasks/1');
  expect(uris).not.toContain('ralph://tasks/2');
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['task_execution']);
});

it('that cannot be read are not said to be missing', async () => {
  const project = await initialised();
  const client = await connectWithin(project);
  await readText(client, 'ralph://queue');
  writeFileSync(databasePath(findProject(project.root).stateDir), 'no database at all');
  const error = await client.readResource({ uri: 'ralph://tasks/1' }).then(null, (thrown: Error) => thrown);
  expect(error).toMatchObject({ code: -32603 });
});

it('pages long lists, and shows of each family no more than 300', async () => {
  const project = await initialised();
  const client = await connectWithin(project);
  const queue = await queueOf(project);
  await addTasks(
    queue,
    Array.from({ length: 350 }, (_, index) => ({ title: `Task ${index}` })),
  );
  const page = await client.request({ method: 'resources/list', params: {} });
  expect(page.resources).toHaveLength(100);
  const { resources } = await client.listResources();
  const tasks = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('ralph://tasks/'));
  expect(new Set(tasks).size).toBe(300);
  expect(tasks.at(-1)).toBe('ralph://tasks/300');
  await expect(client.request({ method: 'resources/list', params: { cursor: 'x' } })).rejects.toThrow(
    /begin without one/,
  );
});

it('completes names, numbers and paths', async () => {
  const project = await withFeature();
  await project.json('add', 'One');
  await project.json('add', 'Two', '--depends-on', '1');
  const client = await connectWithin(project);
  const complete = async (uri: string, name: string, value: string, known = {}) =>
    (
      await client.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name, value },
        context: { arguments: known },
      })
    ).completion.values;
  expect(await complete('ralph://features/{name}', 'name', 'a')).toEqual(['auth']);
  expect(await complete('ralph://tasks/{id}', 'id', '')).toEqual(['1', '2']);
  expect(await complete('ralph://features/{name}/files/{+path}', 'path', 'docs/a', { name: 'auth' })).toEqual(
    ['docs/auth.md'],
  );
  const ready = await client.complete({
    ref: { type: 'ref/prompt', name: 'task_execution' },
    argument: { name: 'id', value: '' },
  });
  expect(ready.completion.values).toEqual(['1']);
});

it('the search finds what the project knows by its words, and says where it is', async () => {
  const project = await withFeature();
  const client = await connectWithin(project);
  await callTool(client, 'append_learning', {
    text: 'Tokens are 100% hashed',
    kind: 'decision',
    feature: 'auth',
  });
  await callTool(client, 'append_learning', { text: 'Dates are UTC', kind: 'convention' });
  const search = (query: string) => readText(client, `ralph://knowledge/search?${query}`);
  expect(await search('q=hashed%20tokens')).toMatch(
    /- learning 1 \(«decision»; score [\d.]+\): «Tokens are 100% hashed»/,
  );
  expect(await search('q=utc')).toMatch(/- learning 2 \(«convention»; score [\d.]+\): «Dates are UTC/);
  expect(await search('q=utc&feature=auth')).toContain('Nothing found. Try other words');
  expect(await readText(client, 'ralph://features/auth/learnings')).toContain(
    '## decision\n\n- «Tokens are 100% hashed» (learning 1)',
  );
});
