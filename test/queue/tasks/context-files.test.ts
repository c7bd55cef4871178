import { expect, it } from 'vitest';
import { createFeature } from '../../../src/queue/definitions/edit.ts';
import { recordJournaled } from '../../../src/queue/journal/journal.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { suggestedFiles } from '../../../src/queue/tasks/context-files.ts';
import { openTestQueue, runSession } from '../../support/queue.ts';

it('a file is suggested after three sessions of its feature touched it, unless the feature already names it', async () => {
  const queue = await openTestQueue();
  await createFeature(queue, { name: 'auth', fields: { knowledge_paths: ['docs/'] } });
  await createFeature(queue, { name: 'billing', fields: {} });
  const found: number[] = [];
  for (const feature of ['auth', 'auth', 'billing', 'auth']) {
    await addTask(queue, { title: `task ${found.length}`, feature });
    const { session_id } = await runSession(queue, [{ verb: 'done', summary: 'Done.' }]);
    await recordJournaled(queue, {
      session_id,
      feature,
      touched: ['src/a.ts', 'docs/a.md'],
      auto_context: false,
    });
    found.push((await suggestedFiles(queue)).length);
  }
  expect(found).toEqual([0, 0, 0, 1]);
  expect(await suggestedFiles(queue, 'auth')).toEqual([{ feature: 'auth', path: 'src/a.ts', sessions: 3 }]);
  expect(await suggestedFiles(queue, 'billing')).toEqual([]);
});
