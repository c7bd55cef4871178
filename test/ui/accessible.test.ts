// What people meet who see little, use no mouse, or have a narrow screen: on every page, light and dark.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { type Dashboard, dashboard, useBrowser } from '../support/dashboard.ts';
import { done, scripted } from '../support/scripted.ts';

const { page: open } = useBrowser();

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { id: string; impact: string; nodes: { html: string }[] };

const seriousOn = async (page: Page): Promise<string[]> => {
  await page.evaluate(AXE);
  const found: Finding[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** Work that was done, asked about, failed, drafted and learned from: something on every page. */
async function worked(): Promise<{ server: Dashboard; paths: string[] }> {
  const { project } = await scripted(
    {
      1: [[{ verb: 'learned', args: { text: 'Times are UTC', kind: 'decision', scope: 'feature' } }, done()]],
      2: [
        [
          { verb: 'ask', args: { question: 'Which zone?', blocking: true, options: ['UTC', 'CET'] } },
          { verb: 'partial', args: { summary: 'Asked.', remaining: 'All.' } },
        ],
      ],
      3: [[{ verb: 'stuck', args: { reason: 'No way.' } }]],
    },
    'limits: { stuck: 1 }\ngates: [{ name: test, command: "true" }]',
  );
  for (const title of ['Store times', 'Show times', 'Cannot be']) await project.json('add', title);
  await project.json('add', 'Later', '--draft', '--depends-on', '2');
  await project.ralph('run');
  const [session] = (await project.json('log')) as { id: string }[];
  const paths = [
    ...['/', '/tasks', '/tasks/1', '/tasks/2', '/tasks/3', '/graph?all=1', '/sessions'],
    ...[`/sessions/${session?.id}`, '/knowledge', '/runs', '/runs/1'],
  ];
  return { server: await dashboard(project), paths };
}

it('has no serious fault for a screen reader, and no page that is wider than the screen', async () => {
  const { server, paths } = await worked();
  const looks = [
    { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', viewport: { width: 420, height: 800 } },
  ] as const;
  for (const look of looks) {
    const page = await open(look);
    await page.goto(server.url);
    for (const path of paths) {
      await page.goto(`${server.origin}${path}`);
      await page.locator('main[aria-busy=false] h1').waitFor();
      expect({ path, found: await seriousOn(page) }).toEqual({ path, found: [] });
      const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ path, overhang }).toEqual({ path, overhang: 0 });
    }
  }
});

it('is walked through, and answered, with the keyboard alone', async () => {
  const { server } = await worked();
  const page = await open();
  await page.goto(server.url);
  await page.getByLabel('Answer to Q1').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  expect(await page.getByRole('dialog').textContent()).toContain('go to Graph');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  for (const [key, heading] of Object.entries({
    t: 'Tasks',
    g: 'Graph',
    s: 'Sessions',
    k: 'Knowledge',
    r: 'Runs',
    n: 'Now',
  })) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }
  for (let step = 0; step < 40 && !(await isAt(page, 'Answer to Q1')); step++)
    await page.keyboard.press('Tab');
  await page.keyboard.type('UTC');
  await page.keyboard.press('Enter');
  await page.getByText('Answered Q1').waitFor();
});

const isAt = (page: Page, label: string): Promise<boolean> =>
  page.evaluate(`document.activeElement?.getAttribute('aria-label') === ${JSON.stringify(label)}`);

const WEB = join(dirname(inject('ralph')), 'web');

/** The file and all that it cannot do without. */
function withImports(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const source = readFileSync(join(WEB, name), 'utf8');
  for (const [, target = ''] of source.matchAll(/(?:from|import)\s*"(\.[^"]+)"/g))
    withImports(join(dirname(name), target), known);
  return known;
}

it('loads less than forty kilobytes for any of its pages', () => {
  const packed = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(WEB, name))).length, 0);
  const pages = ['task', 'tasks', 'graph', 'session', 'sessions', 'knowledge', 'run', 'runs'];
  const files = readdirSync(join(WEB, 'parts'));
  const sizes = pages.map((page) => {
    const own = files.find((name) => name.startsWith(`${page}-`)) ?? '';
    return packed(['index.html', 'app.css', ...withImports(join('parts', own), withImports('app.js'))]);
  });
  expect(Math.max(...sizes)).toBeLessThan(40 * 1024);
  expect(Math.min(...sizes)).toBeGreaterThan(15 * 1024);
});
