// Whatever arrives: answered or refused by the protocol, the server stays, and a refusal has changed nothing.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { lastChangeId } from '../../src/queue/queue.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import { INTERACTIVE_TOOLS, TOOLS } from '../../src/tools/index.ts';
import { claimed, initialize, queueOf, type RawServer, rawServer, toolCall } from '../support/mcp.ts';
import { initialised, type TestProject } from '../support/ralph.ts';
import { tries } from '../support/tries.ts';

const OUTSIDE = 'sentinel-of-a-file-outside';
const SECRET = 'sentinel-of-a-secret';

async function projectWithSecrets(): Promise<TestProject> {
  const project = await initialised();
  const { root } = project;
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, '../outside.txt'), OUTSIDE);
  writeFileSync(join(root, '.env'), SECRET);
  writeFileSync(join(root, 'docs/a.md'), 'harmless\n');
  symlinkSync('../../outside.txt', join(root, 'docs/outside.txt'));
  symlinkSync('..', join(root, 'docs/auth'));
  symlinkSync('../.env', join(root, 'docs/1'));
  writeFileSync(
    join(root, '.ralph/features.yaml'),
    'features:\n  - name: auth\n    knowledge_paths: [docs, ., ../outside.txt]\n',
  );
  await project.json('add', 'One');
  return project;
}

async function greeted(project: TestProject, env: Readonly<Record<string, string>> = {}): Promise<RawServer> {
  const server = rawServer(project, env);
  server.send(initialize(0));
  await server.answer(0);
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return server;
}

let ids = 1;

async function ask(server: RawServer, request: (id: number) => unknown): Promise<Record<string, unknown>> {
  const id = ids++;
  server.send(request(id));
  const answer = await server.answer(id);
  expect(Object.keys(answer).sort()).toEqual(
    'error' in answer ? ['error', 'id', 'jsonrpc'] : ['id', 'jsonrpc', 'result'],
  );
  return answer;
}

const isRefused = (answer: Record<string, unknown>): boolean =>
  'error' in answer || (answer['result'] as { isError?: boolean }).isError === true;

/** Anything at all, or an example of the tool with a part of it replaced. */
const anyArguments = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map((value) => () => value),
  fc
    .tuple(fc.nat(), fc.jsonValue({ maxDepth: 2 }), fc.boolean())
    .map(([which, value, isNewKey]) => (example: object) => {
      const keys = Object.keys(example);
      const key = isNewKey ? 'surprise' : (keys[which % Math.max(keys.length, 1)] ?? 'surprise');
      return { ...example, [key]: value };
    }),
);

const BOUND_TOOLS = TOOLS.filter(({ name }) => RECIPES.task_execution.tools.includes(name));

it.each([
  ['an interactive client', INTERACTIVE_TOOLS, async () => ({})],
  ['a bound session', BOUND_TOOLS, async (project: TestProject) => (await claimed(project, 'fuzzed')).env],
] as const)('any JSON to every tool of %s is answered or refused', async (_, tools, bind) => {
  const project = await projectWithSecrets();
  const server = await greeted(project, await bind(project));
  const queue = await queueOf(project);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...tools), anyArguments, async (tool, make) => {
      const before = await lastChangeId(queue);
      const answer = await ask(server, (id) => toolCall(id, tool.name, make(tool.example)));
      if (isRefused(answer)) {
        expect(await lastChangeId(queue)).toBe(before);
        expect(JSON.stringify(answer)).not.toMatch(/Recorded|(?<!Nothing was )recorded/);
      }
      // Only the folder to work in is named.
      const text = JSON.stringify(answer).replaceAll(join(project.home, '.local/state/ralph/slots'), '');
      expect(text).not.toContain(project.home);
    }),
    { numRuns: tries(200) },
  );
  // Still the same server, still whole.
  expect(await ask(server, (id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))).toHaveProperty(
    'result.tools',
  );
});

const segment = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string().map(encodeURIComponent),
  fc.constantFrom(
    '..',
    '.',
    '%2e%2e',
    '%252e%252e',
    '..%2f..%2f',
    '%00',
    '%ff',
    '\u2024\u2024',
    '.env',
    '..%5c',
    'outside.txt',
    'auth',
    '1',
    '-1',
    '1e9',
    '99999999999999999999',
    '',
  ),
);

const anyUri = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(segment, { maxLength: 6 }).map((parts) => `ralph://${parts.join('/')}`),
  fc
    .tuple(
      fc.constantFrom(...RESOURCES.map(({ uri }) => uri)),
      fc.array(segment, { minLength: 4, maxLength: 4 }),
    )
    .map(([template, [a = '', b = '', c = '', d = '']]) => {
      let next = 0;
      const values = [a, `${b}/${c}/${d}`];
      return template.replace(/\{[^}]*\}/g, () => values[next++] ?? '');
    }),
);

it('any URI to every resource is answered or refused', async () => {
  const project = await projectWithSecrets();
  const server = await greeted(project);
  const queue = await queueOf(project);
  const before = await lastChangeId(queue);
  await fc.assert(
    fc.asyncProperty(anyUri, async (uri) => {
      const answer = await ask(server, (id) => ({
        jsonrpc: '2.0',
        id,
        method: 'resources/read',
        params: { uri },
      }));
      expect(JSON.stringify(answer)).not.toMatch(new RegExp(`${OUTSIDE}|${SECRET}|root:x`));
      // Only the folder to work in is named.
      const text = JSON.stringify(answer).replaceAll(join(project.home, '.local/state/ralph/slots'), '');
      expect(text).not.toContain(project.home);
    }),
    { numRuns: tries(300) },
  );
  expect(await lastChangeId(queue)).toBe(before);
});

const anyLine = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.json(),
  fc
    .record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.string(), fc.double(), fc.constant(null), fc.constant({})),
        method: fc.oneof(fc.constantFrom('tools/call', 'resources/read', 'initialize', 'x'), fc.jsonValue()),
        params: fc.jsonValue({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    )
    .map((message) => JSON.stringify(message)),
);

it('any lines to standard input are answered or refused', async () => {
  const project = await projectWithSecrets();
  const server = await greeted(project);
  const queue = await queueOf(project);
  const before = await lastChangeId(queue);
  await fc.assert(
    fc.asyncProperty(fc.array(anyLine, { maxLength: 5 }), async (lines) => {
      for (const line of lines) server.child.stdin.write(`${line.replaceAll('\n', ' ')}\n`);
      await ask(server, (id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    }),
    { numRuns: tries(200) },
  );
  for (const line of server.output().stdout.slice(0, -1).split('\n'))
    expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  expect(await lastChangeId(queue)).toBe(before);
});
