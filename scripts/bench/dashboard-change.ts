// Whether the graph stutters where one of its tasks changes: how long a frame takes at most, with many tasks against few.
import type { Browser, Page } from 'playwright-core';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { addTasks } from '../../src/queue/tasks/add.ts';
import { editTask } from '../../src/queue/tasks/edit.ts';
import { startBrowser, unpackBrowser } from '../browser.ts';
import { type Bench, median } from './measure.ts';
import { type Served, served } from './served.ts';

const [MANY, FEW] = [1_000, 10];
const ROUNDS = 15;

export const dashboardChange: Bench = async (folder) => {
  const browser = await startBrowser(await unpackBrowser(folder), folder);
  const many = await watched(browser, await served(folder, 'many', (queue) => fill(queue, MANY)));
  const few = await watched(browser, await served(folder, 'few', (queue) => fill(queue, FEW)));
  const longest = { many: [] as number[], few: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    longest.many.push(await many.change(`Changed ${round}`));
    longest.few.push(await few.change(`Changed ${round}`));
  }
  await Promise.all([many.stop(), few.stop()]);
  await browser.close();
  const [measured, against] = [median(longest.many), median(longest.few)];
  return [
    {
      name: `dashboard, longest frame while a task of the graph changes: ${MANY} tasks against ${FEW}`,
      ratio: measured / against,
      atMost: 3,
      detail: `${measured.toFixed(0)} ms against ${against.toFixed(0)} ms`,
    },
  ];
};

type Watched = { change(title: string): Promise<number>; stop(): Promise<void> };

async function watched(browser: Browser, server: Served): Promise<Watched> {
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.getByRole('link', { name: 'Graph' }).click();
  await page.locator('main[aria-busy=false] .node').first().waitFor();
  const id = Number(await page.locator('.node').first().getAttribute('data-id'));
  const queue = await openQueue(server.database);
  return {
    change: async (title) => {
      await page.bringToFront();
      const shown = longestUntil(page, id, title);
      await editTask(queue, id, { title });
      return shown;
    },
    stop: async () => {
      await closeQueue(queue);
      await page.close();
      await server.stop();
    },
  };
}

/** Said to the page as text, because only there are frames. */
const longestUntil = (page: Page, id: number, title: string): Promise<number> =>
  page.evaluate(`new Promise((shown) => {
    let [last, longest] = [performance.now(), 0];
    const look = (isOver) => {
      const now = performance.now();
      [last, longest] = [now, Math.max(longest, now - last)];
      const isShown = document.querySelector('[data-id="${id}"] .title')?.textContent === '${title}';
      if (isOver === true) shown(longest);
      else requestAnimationFrame(() => look(isShown));
    };
    requestAnimationFrame(look);
  })`);

/** Each waits for one or two of those shortly before it. */
async function fill(queue: Queue, count: number): Promise<void> {
  await addTasks(
    queue,
    Array.from({ length: count }, (_, index) => ({
      title: `Task ${index + 1} of a backlog`,
      depends_on: [...new Set([index - 3, index - 7])].filter((id) => id > 0),
    })),
  );
}
