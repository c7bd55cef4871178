import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBacklog } from '../../src/project/exchange/import/index.ts';
import { createFeature } from '../../src/queue/definitions/edit.ts';
import { importBacklog } from '../../src/queue/exchange/import-backlog.ts';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { type Bench, compare } from './measure.ts';

const COUNT = 5_000;

/** A tag as task-master writes it; every task but the first depends on the one before. */
const tasks = Array.from({ length: COUNT }, (_, index) => ({
  id: index + 1,
  title: `Task ${index + 1} with a title of ordinary length`,
  description: 'What is to be done, in two or three sentences, as people write them. It names a file or two.',
  details: 'How it might be done, at about the same length as what is to be done.',
  testStrategy: 'What shows that it is done.',
  status: 'pending',
  priority: 'medium',
  dependencies: index === 0 ? [] : [index],
}));

/** The same rows, by the use case that adds tasks. */
async function insert(path: string): Promise<void> {
  const queue = await openQueue(path);
  await createFeature(queue, { name: 'master', fields: {} });
  await addTasks(
    queue,
    tasks.map(({ title, description, details, testStrategy, dependencies }) => ({
      feature: 'master',
      title,
      description,
      hints: details,
      acceptance_criteria: [testStrategy],
      depends_on: dependencies,
    })),
  );
  await closeQueue(queue);
}

async function bringIn(path: string, file: string): Promise<void> {
  const queue = await openQueue(path);
  await importBacklog(queue, readBacklog(readFileSync(file, 'utf8'), file, 'task-master'), 'tasks.json');
  await closeQueue(queue);
}

export const imports: Bench = async (folder) => {
  const file = join(folder, 'tasks.json');
  writeFileSync(file, JSON.stringify({ master: { tasks } }));
  let count = 0;
  const path = (): string => join(folder, `import-${count++}.db`);
  const { measured, against } = await compare(
    7,
    () => bringIn(path(), file),
    () => insert(path()),
  );
  return [
    {
      name: '5,000 tasks imported, against inserting them',
      ratio: measured / against,
      atMost: 3,
      detail: `${measured.toFixed(0)} ms against ${against.toFixed(0)} ms`,
    },
  ];
};
