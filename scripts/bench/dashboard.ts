// The dashboard of a large project against that of an empty one, in a real browser.
import type { Browser, Page } from 'playwright-core';
import { startBrowser, unpackBrowser } from '../browser.ts';
import { type Bench, type BenchRow, median } from './measure.ts';
import { fillProject, SESSIONS, served, TASKS } from './served.ts';

const ROUNDS = 9;

/** What each page is opened for; an empty project says of each what to type. */
const FIRST = '.queue-bar';
const PAGES: Readonly<Record<string, string>> = {
  Tasks: '[data-task]',
  Graph: '.node',
  Sessions: '.sessions tbody tr',
  Knowledge: '.empty',
  Runs: '.runs tbody tr',
};
const EMPTY = '.empty';

export const dashboard: Bench = async (folder) => {
  const browser = await startBrowser(await unpackBrowser(folder), folder);
  const large = await served(folder, 'large', fillProject);
  const empty = await served(folder, 'empty', async () => {});
  const times = { large: new Map<string, number[]>(), empty: new Map<string, number[]>() };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await walk(browser, large.url, (shown) => shown, times.large);
      await walk(browser, empty.url, () => EMPTY, times.empty);
    }
  } finally {
    await browser.close();
    await Promise.all([large, empty].map(({ stop }) => stop()));
  }
  return [...times.large.keys()].map((what): BenchRow => {
    const [measured, against] = [times.large, times.empty].map((known) => median(known.get(what) ?? []));
    return {
      name: `dashboard, ${TASKS} tasks and ${SESSIONS} sessions against none: ${what}`,
      ratio: (measured ?? Number.NaN) / (against ?? Number.NaN),
      atMost: 3,
      detail: `${measured?.toFixed(0)} ms against ${against?.toFixed(0)} ms`,
    };
  });
};

/** From the address to something to read, then from page to page, each for the first time. */
async function walk(
  browser: Browser,
  url: string,
  awaited: (shown: string) => string,
  times: Map<string, number[]>,
): Promise<void> {
  const page = await browser.newPage();
  const note = (what: string, ms: number) => times.set(what, [...(times.get(what) ?? []), ms]);
  const began = performance.now();
  await page.goto(url);
  await page
    .locator(whole(awaited(FIRST)))
    .first()
    .waitFor();
  note('first useful paint', performance.now() - began);
  for (const [name, shown] of Object.entries(PAGES))
    note(`to ${name}`, await changeTo(page, name, whole(awaited(shown))));
  await page.close();
}

const whole = (shown: string): string => `main[aria-busy=false] ${shown}`;

/** Runs in the page, so it is text: measures from the click to the frame after the result is shown. */
const changeTo = (page: Page, name: string, shown: string): Promise<number> =>
  page.evaluate(`new Promise((shown) => {
    const link = [...document.querySelectorAll('nav a')].find((one) => one.textContent.startsWith('${name}'));
    const began = performance.now();
    link.click();
    const look = () => {
      const isHere = document.querySelector('h1')?.textContent.startsWith('${name}');
      const isShown = isHere && document.querySelector('${shown}') !== null;
      requestAnimationFrame(isShown ? () => shown(performance.now() - began) : look);
    };
    look();
  })`);
