import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bindingFor } from '../../src/app/binding.ts';
import { closeQueue } from '../../src/queue/queue.ts';
import { watchChanges } from '../../src/server/watch.ts';
import { connect, connectWithin, ERAS, type Era } from '../support/mcp.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

type Client = Awaited<ReturnType<typeof connect>>;

async function subscribe(client: Client, era: Era, uri: string): Promise<() => Promise<void>> {
  const heard: string[] = [];
  let wake = () => {};
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri);
    wake();
  });
  if (era === 'legacy') await client.subscribeResource({ uri });
  else await client.listen({ resourceSubscriptions: [uri] });
  return () =>
    new Promise((updated) => {
      wake = () => {
        if (heard.includes(uri)) updated();
      };
      wake();
    });
}

async function withDocument(): Promise<TestProject> {
  const project = await initialised();
  mkdirSync(join(project.root, 'docs'));
  writeFileSync(join(project.root, 'docs/auth.md'), 'old\n');
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - name: auth\n    knowledge_paths: [docs/auth.md, "notes/**/*.md"]\n',
  );
  return project;
}

describe.each(ERAS)('a subscriber (%s)', (era) => {
  it('a subscriber of the queue hears of a task that another process adds', async () => {
    const project = await initialised();
    const client = await connect(project, { era });
    const updated = await subscribe(client, era, 'ralph://queue');
    await project.json('add', 'From elsewhere');
    await updated();
  });

  it('a subscriber of a feature hears of its document changing on disk', async () => {
    const project = await withDocument();
    const client = await connectWithin(project, { era });
    const updated = await subscribe(client, era, 'ralph://features/auth');
    writeFileSync(join(project.root, 'docs/auth.md'), 'new\n');
    await updated();
  });

  it('a subscriber of a feature hears of a document that did not exist before', async () => {
    const project = await withDocument();
    const client = await connectWithin(project, { era });
    const updated = await subscribe(client, era, 'ralph://features/auth');
    mkdirSync(join(project.root, 'notes/deep'), { recursive: true });
    writeFileSync(join(project.root, 'notes/deep/new.md'), 'new\n');
    await updated();
  });

  it('a subscriber of a feature hears of its definition changing', async () => {
    const project = await withDocument();
    const client = await connectWithin(project, { era });
    const updated = await subscribe(client, era, 'ralph://features/auth');
    writeFileSync(
      join(project.root, '.ralph/features.yaml'),
      'features:\n  - name: auth\n    description: New.\n',
    );
    await updated();
  });

  it('a subscriber of lists hears that there is another resource', async () => {
    const project = await initialised();
    const client = await connectWithin(project, { era });
    const changed = new Promise<void>((heard) => {
      client.setNotificationHandler('notifications/resources/list_changed', () => heard());
    });
    if (era === 'legacy') await client.listResources();
    else await client.listen({ resourcesListChanged: true });
    await project.json('add', 'From elsewhere');
    await changed;
  });
});

it('a subscriber hears nothing more of what it unsubscribed from, and is told of what does not exist', async () => {
  const project = await initialised();
  const client = await connectWithin(project, { era: 'legacy' });
  const heard: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void heard.push(params.uri),
  );
  for (const uri of ['ralph://queue', 'ralph://project']) await client.subscribeResource({ uri });
  await client.unsubscribeResource({ uri: 'ralph://queue' });
  await project.json('add', 'From elsewhere');
  await expect.poll(() => heard).toContain('ralph://project');
  expect(heard).not.toContain('ralph://queue');
  await expect(client.subscribeResource({ uri: 'ralph://tasks/99' })).rejects.toThrow(/no task 99/);
});

it('a subscriber is told when it subscribes to too much', async () => {
  const { root } = await initialised();
  const pipes = { log: () => {} };
  const binding = bindingFor({
    project: root,
    env: { PATH: process.env['PATH'] },
    now: Date.now,
    version: '0.0.0',
    program: { node: process.execPath, script: 'ralph.js' },
    hasTerminal: () => true,
    pipes,
  });
  const watch = watchChanges(binding, { updated: () => {}, listChanged: () => {} });
  onTestFinished(async () => {
    await watch.stop();
    await closeQueue((await binding.backend()).queue);
  });
  const search = (word: number) => `ralph://knowledge/search?q=${word}`;
  await watch.subscribe(
    Array.from({ length: 1_000 }, (_, word) => search(word)),
    'client',
  );
  await expect(watch.subscribe([search(1_000)], 'client')).rejects.toThrow(/1000 subscriptions already/);
});

it('of many at once hears of each change once', async () => {
  const project = await withDocument();
  const client = await connectWithin(project, { era: 'legacy' });
  const heard: string[] = [];
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void heard.push(params.uri),
  );
  const uris = ['ralph://features/auth', 'ralph://features/auth/files/docs/auth.md', 'ralph://project'];
  await Promise.all(uris.map((uri) => client.subscribeResource({ uri })));
  writeFileSync(join(project.root, 'docs/auth.md'), 'new\n');
  await expect.poll(() => heard).toContain('ralph://features/auth/files/docs/auth.md');
  await project.json('add', 'A change after it');
  await expect.poll(() => heard).toContain('ralph://project');
  expect(heard.filter((uri) => uri.endsWith('auth.md'))).toHaveLength(1);
});
