import { expect, it } from 'vitest';
import { implementationFormat } from '../../../src/project/exchange/export/implementation.ts';
import { keepMirror, type MirrorFile } from '../../../src/queue/exchange/keep-mirror.ts';
import { addTask } from '../../../src/queue/tasks/add.ts';
import { list } from '../../../src/queue/tasks/list.ts';
import { openTestQueue } from '../../support/queue.ts';

/** A disk on which the machine can go down right after a file was written. */
function fileOf(): MirrorFile & { text: string | null; goesDown: boolean } {
  const file = {
    text: null as string | null,
    goesDown: false,
    path: '/p/implementation.json',
    label: 'implementation.json',
    stamp: () => file.text ?? '',
    read: async () => file.text,
    write: async (text: string) => {
      file.text = text;
      if (file.goesDown) throw new Error('the machine went down');
    },
    hash: (text: string) => text,
    setAside: async () => 'aside',
  };
  return file;
}

it('a crash right after the file was written doubles no task', async () => {
  const queue = await openTestQueue();
  const file = fileOf();
  await addTask(queue, { title: 'One' });
  await keepMirror(queue, file, implementationFormat, { edits: 'take', verify: false });
  await addTask(queue, { title: 'Two' });
  file.goesDown = true;
  await expect(
    keepMirror(queue, file, implementationFormat, { edits: 'take', verify: false }),
  ).rejects.toThrow('went down');
  file.goesDown = false;
  expect(await keepMirror(queue, file, implementationFormat, { edits: 'take', verify: false })).toMatchObject(
    {
      report: null,
    },
  );
  expect((await list(queue, {})).map(({ title }) => title)).toEqual(['One', 'Two']);
});

it('is not written while nothing changes', async () => {
  const queue = await openTestQueue();
  const file = fileOf();
  await addTask(queue, { title: 'One' });
  expect(await keepMirror(queue, file, implementationFormat, { edits: 'take', verify: false })).toMatchObject(
    {
      isWritten: true,
    },
  );
  expect(await keepMirror(queue, file, implementationFormat, { edits: 'take', verify: false })).toMatchObject(
    {
      isWritten: false,
    },
  );
});
