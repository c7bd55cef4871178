// What an hour of live events leaves in the process of the dashboard.
import { appendFileSync, readFileSync } from 'node:fs';
import { closeQueue, openQueue } from '../../src/queue/queue.ts';
import { startRun } from '../../src/queue/sessions/runs.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { editTask } from '../../src/queue/tasks/edit.ts';
import type { Bench } from './measure.ts';
import { begin, STREAM, served } from './served.ts';

const EVENTS = 36_000;
const PAGE_READS_EVERY = 50;

/** Ten events a second for an hour, as fast as they can be written, with a page that reads what they change, and a session that goes on. */
export const dashboardMemory: Bench = async (folder) => {
  let session = { session_id: '', stream: '' };
  const server = await served(folder, 'live', async (queue, state) => {
    const tasks = Array.from({ length: 20 }, (_, id) => ({
      title: 'Changes',
      depends_on: id < 2 ? [] : [id],
    }));
    await addTasks(queue, tasks);
    session = await begin(queue, await startRun(queue, { pid: process.pid, process_started: null }), state);
  });
  const own = `/api/sessions/${session.session_id}`;
  const paths = ['project', 'now', 'tasks', 'graph', 'sessions'].map((name) => `/api/${name}`);
  paths.push(own, `${own}/entries?from=0&count=100`);
  const { origin, hash } = new URL(server.url);
  const ask = (path: string) =>
    fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${hash.slice(1)}` } });
  const eventReader = (await ask(`/api/events?session=${session.session_id}`)).body?.getReader();
  const reading = (async () => {
    while ((await eventReader?.read())?.done === false);
  })();
  const queue = await openQueue(server.database);
  let early = 0;
  for (let event = 0; event < EVENTS; event++) {
    await editTask(queue, 2, { description: `change ${event}` });
    if (event % PAGE_READS_EVERY === 0) {
      appendFileSync(session.stream, STREAM.repeat(10));
      for (const path of paths) {
        const answer = await ask(path);
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
        await answer.arrayBuffer();
      }
    }
    // A sixth of the hour: everything that is made once is there.
    if (event === EVENTS / 6) early = residentBytes(server.pid);
  }
  const late = residentBytes(server.pid);
  await closeQueue(queue);
  await server.stop();
  await reading.catch(() => {});
  return [
    {
      name: `memory of \`ralph ui\` after ${EVENTS} events against ${EVENTS / 6}`,
      ratio: late / early,
      atMost: 1.15,
      detail: `${(late / 2 ** 20).toFixed(0)} MB against ${(early / 2 ** 20).toFixed(0)} MB`,
    },
  ];
};

const residentBytes = (pid: number): number =>
  1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
