// Who listens to the dashboard, and what it does for them: nothing while there is nobody.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { Queue } from '../../src/queue/queue.ts';
import { addTask } from '../../src/queue/tasks/add.ts';
import { openLive } from '../../src/ui/live.ts';
import { openTestQueue } from '../support/queue.ts';

const HEARTBEAT_MS = 10_000;
const SURROUNDINGS_MS = 2_000;
const LOOK_MS = 300;

type Heard = { until(pattern: RegExp): Promise<string>; leave(): Promise<void> };

/** The clock is the test's: what would be done again and again is done when it says so. */
async function served(queue: Queue, surroundings: () => Promise<string> = async () => '') {
  const due = new Map<number, () => void>();
  const reported: unknown[] = [];
  let gone = (): void => {};
  const live = openLive({
    queue,
    surroundings,
    report: (error) => reported.push(error),
    every: (ms, work) => {
      due.set(ms, work);
      return () => void due.delete(ms);
    },
  });
  const server = createServer((request, response) => {
    response.on('close', () => gone());
    void live.follow(response, Number(request.headers['last-event-id'] ?? 0), null);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    live.close();
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const listen = async (after = 0): Promise<Heard> => {
    const { body } = await fetch(url, { headers: { 'last-event-id': String(after) } });
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    return {
      until: async (pattern) => {
        while (!pattern.test(text)) {
          const { done, value } = (await reader?.read()) ?? { done: true };
          if (done) throw new Error(`It ended without ${pattern}: ${text}`);
          text += value;
        }
        return text;
      },
      leave: async () => {
        const left = new Promise<void>((over) => {
          gone = over;
        });
        await reader?.cancel();
        await left;
      },
    };
  };
  return { due, reported, listen };
}

it('the live server does nothing by the clock while no page listens', async () => {
  const { due, listen } = await served(await openTestQueue());
  expect(due.size).toBe(0);
  const [one, other] = [await listen(), await listen()];
  expect(due.size).toBe(3);
  await one.leave();
  expect(due.size).toBe(3);
  await other.leave();
  expect(due.size).toBe(0);
});

it('the live server says that it is still there when nothing happens', async () => {
  const { due, listen } = await served(await openTestQueue());
  const page = await listen();
  await page.until(/event: here/);
  due.get(HEARTBEAT_MS)?.();
  await page.until(/: still here\n\n$/);
});

it('the live server looks around once at a time, and goes on after a look that failed', async () => {
  let found = Promise.resolve('');
  let count = 0;
  const { due, reported, listen } = await served(await openTestQueue(), () => {
    count += 1;
    return found;
  });
  const page = await listen();
  const lookAround = due.get(SURROUNDINGS_MS);
  let arrive = (_: string): void => {};
  found = new Promise((arrived) => {
    arrive = arrived;
  });
  lookAround?.();
  lookAround?.();
  expect(count).toBe(2);
  arrive('a process died');
  await page.until(/event: around/);
  found = Promise.reject(new Error('gone'));
  lookAround?.();
  await expect.poll(() => reported).toEqual([new Error('gone')]);
});

it('the live server tells a page that comes during a look all that it has missed', async () => {
  const real = await openTestQueue();
  await addTask(real, { title: 'Missed' });
  const held: (() => void)[] = [];
  let isHeld = false;
  const queue: Queue = {
    ...real,
    store: {
      ...real.store,
      read: async (work) => {
        if (isHeld) await new Promise<void>((goOn) => held.push(goOn));
        return real.store.read(work);
      },
    },
  };
  const { due, listen } = await served(queue);
  await (await listen(1)).until(/event: here/);
  const look = due.get(LOOK_MS);
  isHeld = true;
  await expect
    .poll(() => {
      look?.();
      return held.length;
    })
    .toBe(1);
  isHeld = false;
  await addTask(real, { title: 'New' });
  const late = await listen(0);
  let heard = '';
  void late.until(/"task_id":2/).then((text) => {
    heard = text;
  });
  held[0]?.();
  await expect
    .poll(() => {
      look?.();
      return heard;
    })
    .toContain('"task_id":2');
  expect(heard).toContain('"task_id":1');
});
