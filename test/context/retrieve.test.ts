import { describe, expect, it } from 'vitest';
import { type Embedder, ollama } from '../../src/context/ollama.ts';
import { retrieve } from '../../src/context/retrieve.ts';
import { searchWords } from '../../src/domain/learnings/search-words.ts';
import { createFeature } from '../../src/queue/definitions/edit.ts';
import { archiveLearning } from '../../src/queue/learnings/learnings.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { closedPort, fakeOllama, unhurried } from '../support/ollama.ts';
import { openTestQueue, runSession, teach } from '../support/queue.ts';

async function shop(): Promise<Queue> {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: {} });
  await createFeature(queue, { name: 'billing', fields: { dependencies: ['auth'] } });
  await createFeature(queue, { name: 'search', fields: {} });
  return queue;
}

const wanted = (
  text: string,
  feature: string | null,
  more: { foundations?: string[]; retried_task?: number; top_k?: number } = {},
) => ({
  text,
  words: searchWords(text, 24),
  feature,
  foundations: more.foundations ?? [],
  retried_task: more.retried_task ?? null,
  top_k: more.top_k ?? 2,
});

const found = async (queue: Queue, query: ReturnType<typeof wanted>, embedder: Embedder | null = null) =>
  (await retrieve(queue.store, query, embedder)).map(({ body }) => body);

describe('retrieval by words', () => {
  it('a session gets the learnings of its own feature that are about its task', async () => {
    const queue = await shop();
    await teach(queue, 'Refresh tokens are rotated by rotateToken', 'auth');
    await teach(queue, 'Passwords are hashed with argon2', 'auth');
    await teach(queue, 'The login page is rendered on the server', 'auth');
    await teach(queue, 'Tokens of the search index are lower case', 'search');
    expect(await found(queue, wanted('Rotate the refresh token on logout', 'auth', { top_k: 1 }))).toEqual([
      'Refresh tokens are rotated by rotateToken',
    ]);
    expect(await found(queue, wanted('hash of a password', 'auth', { top_k: 1 }))).toEqual([
      'Passwords are hashed with argon2',
    ]);
  });

  it('a session gets the newest learnings if none is about its task', async () => {
    const queue = await shop();
    for (const name of ['first', 'second', 'third']) await teach(queue, `The ${name} thing`, 'auth');
    expect(await found(queue, wanted('Something else entirely', 'auth'))).toEqual([
      'The third thing',
      'The second thing',
    ]);
  });

  it('a learning of a feature that the session builds on names that feature', async () => {
    const queue = await shop();
    await teach(queue, 'Invoices are numbered by the ledger', 'billing');
    await teach(queue, 'Sessions expire after an hour', 'auth');
    const learned = await retrieve(
      queue.store,
      wanted('Number invoices, also when the session expires', 'billing', { foundations: ['auth'] }),
      null,
    );
    expect(learned).toMatchObject([
      { body: 'Invoices are numbered by the ledger', from: null },
      { body: 'Sessions expire after an hour', from: 'auth' },
    ]);
  });

  it('a session of any feature gets the learnings of the project', async () => {
    const queue = await shop();
    await teach(queue, 'Times are UTC', null);
    for (const feature of ['auth', 'search', null])
      expect(await found(queue, wanted('Draw a picture', feature))).toEqual(['Times are UTC']);
  });

  it('a session gets what its task has learned only when the task is retried', async () => {
    const queue = await shop();
    await addTask(queue, { title: 'Sign in', feature: 'auth' });
    await runSession(queue, [
      { verb: 'learned', text: 'The stub is in /tmp', kind: 'discovery', scope: 'task' },
      { verb: 'partial', summary: 'half', remaining: 'half' },
    ]);
    expect(await found(queue, wanted('The stub', 'auth'))).toEqual([]);
    expect(await found(queue, wanted('The stub', 'auth', { retried_task: 1 }))).toEqual([
      'The stub is in /tmp',
    ]);
    expect(await found(queue, wanted('The stub', 'auth', { retried_task: 2 }))).toEqual([]);
  });

  it('a session gets the newer of two contradicting learnings, which quotes the older', async () => {
    const queue = await shop();
    await teach(queue, 'The dev server listens on port 3000', 'auth');
    await teach(queue, 'Unrelated', 'auth');
    await teach(queue, 'The dev server listens on port 4000', 'auth');
    const learned = await retrieve(
      queue.store,
      wanted('port 3000 of the dev server', 'auth', { top_k: 1 }),
      null,
    );
    expect(learned).toMatchObject([
      { body: 'The dev server listens on port 4000', at_odds: 'The dev server listens on port 3000' },
    ]);
  });

  it('a session gets the newest of three contradicting learnings, and none that a person archived', async () => {
    const queue = await shop();
    for (const port of [3000, 4000, 5000])
      await teach(queue, `The dev server listens on port ${port}`, 'auth');
    const query = wanted('port of the dev server', 'auth', { top_k: 5 });
    expect(await retrieve(queue.store, query, null)).toMatchObject([
      { body: 'The dev server listens on port 5000', at_odds: 'The dev server listens on port 4000' },
    ]);
    await archiveLearning(queue, 2);
    expect(JSON.stringify(await retrieve(queue.store, query, null))).not.toContain('4000');
  });

  it('a learning that helped before, or did not, moves by at most one rank', async () => {
    const queue = await shop();
    await teach(queue, 'Cache keys hold the tenant', 'search');
    await teach(queue, 'Cache keys hold the locale', 'search');
    const query = wanted('Cache keys', 'search');
    expect(await found(queue, query)).toEqual(['Cache keys hold the locale', 'Cache keys hold the tenant']);
    for (let index = 0; index < 4; index++) {
      await addTask(queue, { title: `task ${index}` });
      await runSession(queue, [{ verb: 'done', summary: 'Done.' }], { given: [1] });
    }
    expect(await found(queue, query)).toEqual(['Cache keys hold the tenant', 'Cache keys hold the locale']);
  });
});

describe('retrieval with embeddings', () => {
  const MEANINGS = { sign: 'login', saml: 'login', account: 'login', employer: 'login' };

  async function taught() {
    const queue = await shop();
    const fake = await fakeOllama(MEANINGS);
    await teach(queue, 'The SAML callback needs a trailing slash', 'auth', { reason: 'the proxy' });
    await teach(queue, 'Colours come from the theme', 'auth');
    await teach(queue, 'Icons are drawn by hand', 'auth');
    const embedder = ollama({ url: fake.url, model: 'nomic-embed-text' }, unhurried);
    return {
      queue,
      fake,
      embedder,
      query: wanted('Sign in by the account of the employer', 'auth', { top_k: 1 }),
    };
  }

  it('embeddings find a learning that shares no word with the task', async () => {
    const { queue, fake, embedder, query } = await taught();
    expect(await found(queue, query)).toEqual(['Icons are drawn by hand']);
    expect(await found(queue, query, embedder)).toEqual(['The SAML callback needs a trailing slash']);
    expect(fake.asked).toEqual([
      ['Sign in by the account of the employer'],
      [
        'gotcha: Icons are drawn by hand',
        'gotcha: Colours come from the theme',
        'gotcha: The SAML callback needs a trailing slash (why: the proxy)',
      ],
    ]);
  });

  it('a learning is embedded once, and again when its text or the model changes', async () => {
    const { queue, fake, embedder, query } = await taught();
    const asked = async (by = embedder): Promise<number> => {
      fake.asked.length = 0;
      await found(queue, query, by);
      return fake.asked.flat().length - 1;
    };
    expect(await asked()).toBe(3);
    expect(await asked()).toBe(0);
    const { editLearning } = await import('../../src/queue/learnings/learnings.ts');
    await editLearning(queue, 2, { body: 'Colours come from tokens' });
    expect(await asked()).toBe(1);
    const other = await fakeOllama(MEANINGS, 'other');
    fake.asked = other.asked;
    expect(await asked(ollama({ url: other.url, model: 'other' }, unhurried))).toBe(3);
  });

  it.each(['error', 'silent', 'garbage', 'short', 'endless', 'infinite'] as const)(
    'after a useless answer (%s), retrieval uses words alone and does not ask the server again for a while',
    async (mode) => {
      const { queue, fake, query } = await taught();
      let now = 0;
      const embedder = ollama(
        { url: fake.url, model: 'nomic-embed-text', timeoutMs: 200 },
        (...asked) => (fake.mode === 'silent' ? fetch : unhurried)(...asked),
        () => now,
      );
      fake.mode = mode;
      expect(await found(queue, query, embedder)).toEqual(['Icons are drawn by hand']);
      expect(embedder.problem()).not.toBeNull();
      if (mode === 'endless') expect(embedder.problem()).toBe('its answer is too long');
      fake.mode = 'well';
      expect(await found(queue, query, embedder)).toEqual(['Icons are drawn by hand']);
      now = 60_001;
      expect(await found(queue, query, embedder)).toEqual(['The SAML callback needs a trailing slash']);
      expect(embedder.problem()).toBeNull();
    },
  );

  it('a missing model and a missing server are each reported as the reason', async () => {
    const { queue, fake, query } = await taught();
    const missing = ollama({ url: fake.url, model: 'missing' }, unhurried);
    expect(await found(queue, query, missing)).toEqual(['Icons are drawn by hand']);
    expect(missing.problem()).toBe('it answered 404 (model "missing" not found, try pulling it first)');
    const nowhere = ollama({ url: await closedPort(), model: 'any' }, unhurried);
    expect(await found(queue, query, nowhere)).toEqual(['Icons are drawn by hand']);
    expect(nowhere.problem()).toBe('no program answers');
  });

  it('embeddings with other dimensions than before are replaced, not mixed', async () => {
    const { queue, fake, embedder, query } = await taught();
    await found(queue, query, embedder);
    fake.dimensions = 128;
    expect(await found(queue, query, embedder)).toEqual(['Icons are drawn by hand']);
    fake.asked.length = 0;
    expect(await found(queue, query, embedder)).toEqual(['The SAML callback needs a trailing slash']);
    expect(fake.asked.flat()).toHaveLength(4);
  });
});
