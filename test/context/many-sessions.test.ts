// The whole cycle many times over: what is learned, kept, written down and given again stays within its bounds.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gather } from '../../src/context/gather.ts';
import { MAX_ACTIVE } from '../../src/domain/learnings/learning.ts';
import { JOURNAL_FOLDER, readJournal } from '../../src/project/journal/journal.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { createFeature } from '../../src/queue/definitions/edit.ts';
import { listLearnings } from '../../src/queue/learnings/learnings.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { render } from '../../src/recipes/render.ts';
import { writeMissingEntries } from '../../src/supervisor/deferred-writes.ts';
import { openTestQueue, runSession } from '../support/queue.ts';
import { tempDir } from '../support/temp.ts';

const SUBJECTS = [
  'cache',
  'queue',
  'worker',
  'invoice',
  'login',
  'header',
  'upload',
  'report',
  'ledger',
  'mailer',
];
const VERBS = ['keeps', 'drops', 'hashes', 'sorts', 'copies', 'locks', 'counts', 'signs', 'splits', 'merges'];
const OBJECTS = [
  'orders',
  'cookies',
  'tenants',
  'images',
  'locales',
  'drafts',
  'refunds',
  'sessions',
  'prices',
  'labels',
];

const digit = (index: number, place: number): number => Math.floor(index / 10 ** place) % 10;
const fact = (index: number): string =>
  `The ${SUBJECTS[digit(index, 0)]} ${VERBS[digit(index, 1)]} all ${OBJECTS[digit(index, 2)]} at midnight`;

/** Every third session says again what an earlier one said: word for word, or nearly. */
const said = (index: number): string => {
  if (index % 3 !== 2) return fact(index);
  const earlier = fact(Math.max(0, index - 2 - (index % 5) * 3));
  return index % 2 === 0 ? earlier : `Note that ${earlier.toLowerCase()}!`;
};

/** A third repeats an earlier one: enough facts that some of them must be archived. */
const COUNT = 330;
/** With the lines of these sessions the journal reaches its largest file. */
const EARLIER_BYTES = 900 * 1024;

it('hundreds of sessions that each learn something keep prompt, database and files bounded, and lose no learning', async () => {
  const root = tempDir();
  const queue = await openTestQueue();
  const config = await readConfig(root);
  await createFeature(queue, { name: 'auth', fields: {} });
  const source = {
    store: queue.store,
    root,
    title: 'test',
    config,
    changesOf: async () => null,
    changesIn: async () => null,
    embedder: null,
  };
  const promptFor = async (task_id: number) =>
    render(RECIPES.task_execution, await gather(source, { task_id }));
  mkdirSync(join(root, JOURNAL_FOLDER), { recursive: true });
  writeFileSync(join(root, JOURNAL_FOLDER, 'auth.jsonl'), `${' '.repeat(EARLIER_BYTES)}\n`);
  const sizes: number[] = [];
  for (let index = 0; index < COUNT; index++) {
    const { id } = await addTask(queue, { title: `Mend the ${SUBJECTS[index % 10]}`, feature: 'auth' });
    if (index % 80 === 79) sizes.push((await promptFor(id)).prompt.length);
    await runSession(queue, [
      { verb: 'learned', text: said(index), kind: 'discovery', scope: 'feature' },
      { verb: 'done', summary: `Mended. ${'At length. '.repeat(50)}` },
    ]);
  }
  await writeMissingEntries({ queue, root, stateDir: root, slotsFolder: root, config });

  const [active, archived] = await Promise.all(
    [false, true].map(async (is) => (await listLearnings(queue, { archived: is }, 10_000)).learnings),
  );
  expect(active).toHaveLength(MAX_ACTIVE);
  const kept = new Set([...(active ?? []), ...(archived ?? [])].map(({ body }) => body));
  const distinct = new Set(
    Array.from({ length: COUNT }, (_, index) => index)
      .filter((index) => index % 3 !== 2)
      .map(fact),
  );
  expect(kept).toEqual(distinct);
  expect(archived).not.toEqual([]);
  const confirmations = [...(active ?? []), ...(archived ?? [])].reduce(
    (sum, one) => sum + one.confirmations,
    0,
  );
  expect(confirmations + kept.size).toBe(COUNT);

  const [first = 0, ...later] = sizes;
  for (const size of later) expect(size).toBeLessThan(first * 1.2);
  const { prompt, learnings } = await promptFor(COUNT);
  expect(learnings).toHaveLength(config.knowledge.top_k);
  expect(prompt).toContain('### What earlier sessions learned');

  const files = readdirSync(join(root, JOURNAL_FOLDER));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files)
    expect(statSync(join(root, JOURNAL_FOLDER, file)).size).toBeLessThan(1.1 * 1024 * 1024);
  expect((await readJournal(root, 'auth')).entries).toHaveLength(COUNT);
});
