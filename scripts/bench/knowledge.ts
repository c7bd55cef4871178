import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gather } from '../../src/context/gather.ts';
import { retrieve } from '../../src/context/retrieve.ts';
import { search } from '../../src/context/search.ts';
import { searchWords } from '../../src/domain/learnings/search-words.ts';
import { FEATURE_DEFAULTS } from '../../src/domain/tasks/feature.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { insertLearning } from '../../src/store/learnings/learnings.ts';
import { saveFeature } from '../../src/store/tasks/features.ts';
import { type Bench, compare, timed } from './measure.ts';

const SYLLABLES = ['ba', 'ke', 'lo', 'mi', 'nu', 'ra', 'se', 'to', 'vu', 'za', 'pi', 'do'];
/** Few words are common and most are rare, as in every language. */
const word = (index: number): string => {
  const rank = Math.floor(3_000 ** ((index % 997) / 997));
  return [rank % 12, Math.floor(rank / 12) % 12, Math.floor(rank / 144) % 12]
    .map((at) => SYLLABLES[at])
    .join('');
};
const text = (seed: number, words: number): string =>
  Array.from({ length: words }, (_, index) => word(seed * 31 + index * 173)).join(' ');

const TITLE = text(5, 12);

async function taught(folder: string, learnings: number, features: number): Promise<Queue> {
  const queue = await openQueue(join(folder, `learnings-${learnings}.db`));
  await queue.store.write(async (db) => {
    for (let index = 0; index < features; index++)
      await saveFeature(db, {
        name: `f${index}`,
        ...FEATURE_DEFAULTS,
        added_files: [],
        status: 'active',
        created: 1,
        updated: 1,
        defined: null,
      });
    for (let index = 0; index < learnings; index++)
      await insertLearning(db, {
        feature: `f${index % features}`,
        scope: 'feature',
        category: 'discovery',
        body: `${text(index, 25)} ${index}`,
        summary: null,
        reason: null,
        discipline: null,
        task_id: null,
        session_id: null,
        created: 1,
        confirmations: 0,
        conflicts_with: null,
        archived: null,
        archived_by: null,
        proven: 1,
        author: 'person',
      });
  });
  await addTask(queue, { title: TITLE, feature: 'f0' });
  return queue;
}

export const retrieval: Bench = async (folder) => {
  // As many as one feature may have, in fifty features; against a project that has just begun.
  const [large, small] = [await taught(folder, 10_000, 50), await taught(folder, 100, 1)];
  const wanted = {
    text: TITLE,
    words: searchWords(TITLE, 24),
    feature: 'f0',
    foundations: [],
    retried_task: null,
    top_k: 5,
  };
  const config = await readConfig(folder);
  const source = {
    store: large.store,
    root: folder,
    title: 'x',
    config,
    changesOf: async () => null,
    changesIn: async () => null,
    embedder: null,
  };
  const find = (queue: Queue) => async () => void (await retrieve(queue.store, wanted, null));
  const size = await compare(200, find(large), find(small));
  const share = await compare(200, find(large), async () => void (await gather(source, { task_id: 1 })));
  await Promise.all([closeQueue(large), closeQueue(small)]);
  return [
    {
      name: 'learnings for a task found among 10,000 against 100',
      ratio: size.measured / size.against,
      atMost: 3,
      detail: `${size.measured.toFixed(2)} ms against ${size.against.toFixed(2)} ms`,
    },
    {
      name: 'the same as a share of one gather',
      ratio: share.measured / share.against,
      atMost: 1,
      detail: `${share.measured.toFixed(2)} ms of ${share.against.toFixed(2)} ms`,
    },
  ];
};

export const searchDocuments: Bench = async (folder) => {
  const build = async (documents: number) => {
    const root = join(folder, `documents-${documents}`);
    mkdirSync(join(root, 'specs'), { recursive: true });
    for (let index = 0; index < documents; index++)
      writeFileSync(
        join(root, 'specs', `${index}.md`),
        `# ${text(index, 4)}\n\n${text(index, 120)}\n\n## ${text(index + 1, 4)}\n\n${text(index + 1, 120)}\n`,
      );
    const queue = await openQueue(join(root, 'ralph.db'));
    const place = { store: queue.store, root, stateDir: root, config: await readConfig(root) };
    return { queue, find: async () => void (await search(place, { text: TITLE, feature: null, limit: 10 })) };
  };
  const [large, small] = [await build(1_000), await build(100)];
  const first = await timed(large.find);
  const { measured, against } = await compare(30, large.find, small.find);
  await Promise.all([closeQueue(large.queue), closeQueue(small.queue)]);
  return [
    {
      name: 'search over 1,000 documents against 100',
      ratio: measured / against,
      atMost: 10,
      detail: `${measured.toFixed(1)} ms against ${against.toFixed(1)} ms; the first time ${first.toFixed(0)} ms`,
    },
  ];
};
