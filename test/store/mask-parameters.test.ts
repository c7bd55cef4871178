import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { maskSecrets } from '../../src/domain/secrets/mask-secrets.ts';
import { NO_WORK } from '../../src/domain/sessions/gate.ts';
import { NO_USAGE } from '../../src/domain/sessions/session.ts';
import { applyDefinitions, NO_DEFINITIONS } from '../../src/queue/definitions/apply-definitions.ts';
import { learn } from '../../src/queue/learnings/learn.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { finish } from '../../src/queue/sessions/finish.ts';
import { record } from '../../src/queue/sessions/record.ts';
import { recordReview } from '../../src/queue/sessions/review.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { showSession } from '../../src/queue/sessions/sessions.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { answer } from '../../src/queue/tasks/answer.ts';
import { claim } from '../../src/queue/tasks/claim.ts';
import { addComment } from '../../src/queue/tasks/comment.ts';
import { editTask } from '../../src/queue/tasks/edit.ts';
import { disciplineDetails } from '../../src/queue/tasks/features.ts';
import { show } from '../../src/queue/tasks/show.ts';
import { TABLES } from '../../src/store/copy.ts';
import { isAddress } from '../../src/store/postgres/address.ts';
import { SECRET_ENV, SHAPED } from '../support/planted-secrets.ts';
import { postgresClient } from '../support/postgres.ts';
import { EXITED, gateResult, LIMITS, runSession, testPlace } from '../support/queue.ts';
import { tempDir } from '../support/temp.ts';

const OF_ENVIRONMENT = ['DEPLOY_TOKEN', 'PAYMENT_API_KEY', 'DB_PASSWORD', 'DATABASE_URL'].map(
  (name) => SECRET_ENV[name] ?? '',
);
const ALL = [...OF_ENVIRONMENT, ...Object.values(SHAPED)];
const LEAK = `It uses ${ALL.join(' and ')}.`;

async function openMasked(place: string, env = SECRET_ENV): Promise<Queue> {
  const queue = await openQueue(place, Date.now, 'cli', { mask: maskSecrets(env) });
  onTestFinished(() => closeQueue(queue).catch(() => {}));
  return queue;
}

const newMasked = async (): Promise<Queue> => openMasked(await testPlace(tempDir()));

/** Everything in the folder of the file, the write-ahead log included; or every row. */
const contentOf = (place: string): Promise<string> =>
  isAddress(place) ? valuesIn(new URL(place).pathname.slice(1)) : bytesBeside(place);

async function bytesBeside(path: string): Promise<string> {
  const folder = dirname(path);
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

async function valuesIn(database: string): Promise<string> {
  const client = await postgresClient(database);
  const values: unknown[] = [];
  for (const table of Object.keys(TABLES)) {
    const { rows } = await client.query<unknown[]>({
      text: `select * from ralph.${table}`,
      rowMode: 'array',
    });
    values.push(...rows.flat());
  }
  return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');
}

async function leaked(place: string): Promise<string[]> {
  const content = await contentOf(place);
  return ALL.filter((secret) =>
    [secret, JSON.stringify(secret).slice(1, -1)].some((form) => content.includes(form)),
  );
}

it('no use case lets a secret into the database', async () => {
  const place = await testPlace(tempDir());
  const queue = await openMasked(place);
  const task = await addTask(queue, { title: `Use ${SHAPED['github']}`, description: LEAK, tags: [LEAK] });
  await editTask(queue, task.id, { hints: LEAK, acceptance_criteria: [LEAK] });
  await addComment(queue, task.id, LEAK);
  await learn(queue, {
    ...{ feature: null, scope: 'project', category: 'gotcha', discipline: null, author: 'person' },
    body: `The deploy needs ${OF_ENVIRONMENT[0]} at hand`,
    reason: null,
  });
  const { session_id } = await runSession(
    queue,
    [
      { verb: 'ask', question: LEAK, blocking: false, options: [LEAK] },
      { verb: 'flag', what: LEAK, severity: 'info', category: 'security' },
      { verb: 'suggest', what: LEAK, kind: 'new_task', why: LEAK },
      { verb: 'done', summary: LEAK },
    ],
    {
      effects: {
        runGates: async () => [{ ...gateResult(false, false), tail: LEAK }],
        commit: async () => NO_WORK,
      },
    },
  );
  await recordReview(queue, { session_id, call_id: null, review: { approved: false, text: LEAK } });
  await answer(queue, 1, LEAK);
  await applyDefinitions(
    queue,
    { ...NO_DEFINITIONS, features: [{ at: 'x:1', name: 'shop', fields: { description: LEAK } }] },
    'sync',
  );
  expect((await show(queue, task.id)).description).toContain('It uses <masked> and <masked>');
  await closeQueue(queue);
  expect(await contentOf(place)).toContain('It uses <masked> and <masked>');
  expect(await leaked(place)).toEqual([]);
});

it('finishing a session masks secrets that its server could not recognize', async () => {
  const place = await testPlace(tempDir());
  const summary = `Deployed with ${OF_ENVIRONMENT[0]}`;
  const server = await openMasked(place, {});
  await addTask(server, { title: 'Deploy' });
  const run_id = await startRun(server, { pid: process.pid, process_started: null });
  await claim(server, { run_id, session_id: 's-1' });
  await record(server, { session_id: 's-1', call_id: null, signal: { verb: 'done', summary } });
  const supervisor = await openMasked(place);
  const committed: unknown[] = [];
  const effects = {
    runGates: async () => [],
    commit: async (_: unknown, done: unknown) => {
      committed.push(done);
      return NO_WORK;
    },
  };
  await finish(supervisor, {
    session_id: 's-1',
    run_id,
    end: EXITED,
    usage: NO_USAGE,
    effects,
    limits: LIMITS,
  });
  const masked = { verb: 'done', summary: 'Deployed with <masked>' };
  expect(committed).toEqual([masked]);
  expect((await showSession(server, 's-1')).signals).toEqual([masked]);
});

it('a task whose title holds a secret is found by the typed title', async () => {
  const queue = await newMasked();
  await addTask(queue, { title: `Rotate ${SHAPED['aws']}` });
  const next = await addTask(queue, { title: 'Tell', depends_on: [`Rotate ${SHAPED['aws']}`] });
  expect(next.depends_on).toEqual([1]);
});

it('a definition with a secret is unchanged when it is read a second time', async () => {
  const queue = await newMasked();
  const definitions = {
    ...NO_DEFINITIONS,
    tasks: [{ at: 'x:1', id: 1, fields: { title: 'A', description: LEAK }, state: {} }],
  };
  await applyDefinitions(queue, definitions, 'sync');
  expect(await applyDefinitions(queue, definitions, 'sync')).toEqual({ added: 0, updated: 0, unchanged: 1 });
});

it('the MCP servers of a discipline are stored unmasked, because Ralph starts them from there', async () => {
  const queue = await newMasked();
  const server = {
    name: 'db',
    command: 'db-server',
    args: [],
    env: { API_KEY: 'a8f5f167f44f4964e6c998dee827110c' },
  };
  const fields = { mcp_servers: [server] };
  await applyDefinitions(
    queue,
    { ...NO_DEFINITIONS, disciplines: [{ at: 'x:1', name: 'data', fields }] },
    'sync',
  );
  expect((await disciplineDetails(queue, 'data')).mcp_servers).toEqual([server]);
});
