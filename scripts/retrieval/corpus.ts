import type { Learning } from '../../src/domain/learnings/learning.ts';
import { createFeature } from '../../src/queue/definitions/edit.ts';
import { learn } from '../../src/queue/learnings/learn.ts';
import type { Queue } from '../../src/queue/queue.ts';

export type Corpus = {
  features: { name: string; display_name: string; description: string; dependencies: string[] }[];
  learnings: (Pick<Learning, 'feature' | 'scope' | 'category' | 'body' | 'reason'> & { id: string })[];
  queries: { id: string; feature: string; title: string; description: string | null; relevant: string[] }[];
};

/** As sessions would have left them, in their order. Answers with the number that each got. */
export async function fillCorpus(
  queue: Queue,
  { features, learnings }: Corpus,
): Promise<Map<string, number>> {
  const made = new Set<string>();
  // What a feature builds on must be there before it.
  for (let left = features; left.length > 0; left = left.filter(({ name }) => !made.has(name))) {
    const next = left.find(({ dependencies }) => dependencies.every((name) => made.has(name)));
    if (next === undefined) throw new Error('the features of the corpus depend on each other in a cycle');
    const { name, ...fields } = next;
    await createFeature(queue, { name, fields });
    made.add(name);
  }
  const ids = new Map<string, number>();
  for (const { id, ...said } of learnings) {
    const result = await learn(queue, { ...said, discipline: null, author: 'person' });
    if (result.as !== 'new') throw new Error(`${id} was taken for learning ${result.id}`);
    ids.set(id, result.id);
  }
  return ids;
}
