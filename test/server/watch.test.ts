import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { connect, ERAS, type Era } from '../support/mcp.ts';
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
  it('of the queue hears of a task that another process adds', async () => {
    const project = await initialised();
    const client = await connect(project, { era });
    const updated = await subscribe(client, era, 'ralph://queue');
    await project.json('add', 'From elsewhere');
    await updated();
  });

  it('of a feature hears of its document changing on disk', async () => {
    const project = await withDocument();
    const client = await connect(project, { era });
    const updated = await subscribe(client, era, 'ralph://features/auth');
    writeFileSync(join(project.root, 'docs/auth.md'), 'new\n');
    await updated();
  });

  it('of a file hears of it changing, and of one that did not exist', async () => {
    const project = await withDocument();
    const client = await connect(project, { era });
    const updated = await subscribe(client, era, 'ralph://features/auth');
    mkdirSync(join(project.root, 'notes/deep'), { recursive: true });
    writeFileSync(join(project.root, 'notes/deep/new.md'), 'new\n');
    await updated();
  });

  it('of a feature hears of its definition changing', async () => {
    const project = await withDocument();
    const client = await connect(project, { era });
    const updated = await subscribe(client, era, 'ralph://features/auth');
    writeFileSync(
      join(project.root, '.ralph/features.yaml'),
      'features:\n  - name: auth\n    description: New.\n',
    );
    await updated();
  });

  it('of lists hears that there is another resource', async () => {
    const project = await initialised();
    const client = await connect(project, { era });
    const changed = new Promise<void>((heard) => {
      client.setNotificationHandler('notifications/resources/list_changed', () => heard());
    });
    if (era === 'legacy') await client.listResources();
    else await client.listen({ resourcesListChanged: true });
    await project.json('add', 'From elsewhere');
    await changed;
  });
});
