// Measured in a real browser: what a style sheet breaks, no other test sees.
import { expect, it } from 'vitest';
import { dashboardWithin, followLink, openPage } from '../support/dashboard.ts';
import { everything } from '../support/finished-run.ts';

const WIDTHS = [420, 1_200, 1_280, 1_600];
/** Two lines of a title with what stands below it; on a phone each row is a small card. */
const [MOST_HIGH, MOST_HIGH_ON_A_PHONE] = [84, 200];
const SESSION = '/sessions/aaaaaaaa-1';
const PAGES = [
  '/',
  '/tasks',
  '/tasks/1',
  '/sessions',
  SESSION,
  '/runs',
  '/runs/1',
  '/machines',
  '/knowledge',
];

type Measured = { rows: { text: string; height: number }[]; gates: string[][]; overflow: number };

/** Run in the page. The words of a gate's line, glued together where nothing parts them. */
const MEASURE = `(() => {
  const rows = [...document.querySelectorAll('tbody tr')].map((row) => ({
    text: row.textContent,
    height: Math.round(row.getBoundingClientRect().height),
  }));
  const gates = [...document.querySelectorAll('.gate .head')].map(({ children }) =>
    [...children].reduce((words, child) => {
      const [box, before] = [child, child.previousElementSibling].map((one) => one?.getBoundingClientRect());
      const isApart = !before || box.top >= before.bottom || box.left - before.right >= 4;
      return isApart ? [...words, child.textContent] : [...words.slice(0, -1), words.at(-1) + child.textContent];
    }, []),
  );
  return { rows, gates, overflow: document.documentElement.scrollWidth - window.innerWidth };
})()`;

it('no page is torn at any width: rows are as high as their text, and words keep apart', async () => {
  const project = await everything();
  await project.json('edit', '2', '--title', 'Ask whether each page that lists tasks has readable rows');
  const place = await dashboardWithin(project);
  const page = await openPage();
  await page.goto(place.url);
  for (const path of PAGES) {
    await followLink(page, path);
    await page.locator('main[aria-busy=false] h1').waitFor();
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      const { rows, gates, overflow }: Measured = await page.evaluate(MEASURE);
      const most = width < 900 ? MOST_HIGH_ON_A_PHONE : MOST_HIGH;
      const high = rows.filter(({ height }) => height > most);
      expect({ width, path, high, overflow }).toEqual({ width, path, high: [], overflow: 0 });
      if (path === '/sessions') expect(rows.length).toBe(4);
      if (path === SESSION)
        expect(gates).toEqual([['✗ test failed', 'exit code 1', expect.stringMatching(/s$/), 'npm test']]);
    }
  }
});

it('an address of no page shows one that says so, and what fetches anything else is told in JSON', async () => {
  const place = await dashboardWithin(await everything());
  const page = await openPage();
  await page.goto(place.url);
  for (const path of ['/nonsense', '/tasks/x/y']) {
    const answer = await page.goto(new URL(path, place.origin).href);
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'Go to what needs you now.' }).waitFor();
  }
  const script = await fetch(`${place.origin}/old-page.js`);
  expect([script.status, await script.json()]).toEqual([404, { error: 'There is no such page.' }]);
});
