// What people meet who see little, use no mouse, or have a narrow screen: on every page, light and dark.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { expect, inject, it } from 'vitest';
import { type DashboardPlace, dashboardWithin, followLink, openPage } from '../support/dashboard.ts';
import { workedProject } from '../support/project-with-sessions.ts';
import { runSession } from '../support/queue.ts';
import { done, scripted } from '../support/scripted-agent.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { id: string; impact: string; nodes: { html: string }[] };

const seriousOn = async (page: Page, rules: object, within = 'html'): Promise<string[]> => {
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
  const found: Finding[] = await page.evaluate(
    `axe.run(${JSON.stringify(within)}, ${options}).then(({ violations }) => violations)`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

/** Work that was done, asked about, failed, drafted and learned from: something on every page, and what it is opened for. */
async function worked(): Promise<{ server: DashboardPlace; pages: Record<string, string> }> {
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
    'limits: { stuck: 1 }\ngates: [{ name: test, command: "echo fine" }]',
  );
  for (const title of ['Store times', 'Show times', 'Cannot be']) await project.json('add', title);
  await project.json('discipline', 'add', 'wide', '--acronym', 'W'.repeat(90));
  await project.json('add', 'Later', '--draft', '--depends-on', '2', '--discipline', 'wide');
  await project.within('run');
  const [session] = (await project.json('log')) as { id: string }[];
  const pages = {
    '/': '.needs',
    '/tasks': '[data-task]',
    '/tasks/1': '.gate',
    '/tasks/2': '.story',
    '/tasks/3': '.story',
    '/graph?all=1': '.node',
    '/sessions': '.sessions tbody tr',
    [`/sessions/${session?.id}`]: '.virtual-list',
    '/knowledge': '.cards .said',
    '/runs': '.runs tbody tr',
    '/runs/1': 'table',
  };
  return { server: await dashboardWithin(project), pages };
}

it('the dashboard has no serious fault for a screen reader, and no page that is wider than the screen', async () => {
  const { server, pages } = await worked();
  const looks = [
    { colorScheme: 'light', viewport: { width: 1280, height: 800 }, rules: {} },
    // The same page but for its colours and its width.
    {
      colorScheme: 'dark',
      viewport: { width: 420, height: 800 },
      rules: { runOnly: ['color-contrast', 'scrollable-region-focusable'] },
    },
  ] as const;
  const page = await openPage();
  await page.goto(server.url);
  await page.evaluate(AXE);
  for (const { rules, colorScheme, viewport } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    const check = async (what: string, within?: string): Promise<void> => {
      const seen = { what, colorScheme };
      expect({ ...seen, found: await seriousOn(page, rules, within) }).toEqual({ ...seen, found: [] });
      const overhang = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ ...seen, overhang }).toEqual({ ...seen, overhang: 0 });
    };
    for (const [path, shown] of Object.entries(pages)) {
      await followLink(page, path);
      await page.locator('main[aria-busy=false] h1').waitFor();
      await page.locator(`main[aria-busy=false] ${shown}`).first().waitFor({ state: 'attached' });
      if (shown === '.virtual-list') await page.locator('[role=option] *').first().waitFor();
      await check(path);
      for (const { click, shown } of OPENED[path] ?? []) {
        await page.locator(click).first().click();
        await page.locator(shown).first().waitFor();
        await check(`${path}, ${click}`, shown);
        await page.keyboard.press('Escape');
      }
    }
  }
});

/** What a page shows only to who asks for it. */
const OPENED: Readonly<Record<string, { click: string; shown: string }[]>> = {
  '/tasks/1': [
    { click: '.gate summary', shown: '.gate:has(pre)' },
    { click: 'button:text("Add task")', shown: 'dialog[open]:has(form)' },
    { click: 'button[aria-label=Keys]', shown: 'dialog[open]' },
  ],
  '/knowledge': [{ click: 'button:text("Teach a fact")', shown: 'dialog[open]:has(form)' }],
  '/graph?all=1': [{ click: '.node', shown: '.graph-panel' }],
};

it('a person walks through the dashboard, and answers, with the keyboard alone', async () => {
  const project = await workedProject('Show times');
  await runSession(project.queue, [
    { verb: 'ask', question: 'Which zone?', blocking: true, options: ['UTC', 'CET'] },
  ]);
  const page = await openPage();
  await page.goto((await dashboardWithin(project)).url);
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
    m: 'Machines',
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

it('the dashboard loads less than forty kilobytes for any of its pages', () => {
  const packed = (names: Iterable<string>): number =>
    [...names].reduce((sum, name) => sum + gzipSync(readFileSync(join(WEB, name))).length, 0);
  const pages = ['now', 'task', 'tasks', 'graph', 'session', 'sessions', 'knowledge', 'run', 'runs'];
  const files = readdirSync(join(WEB, 'parts'));
  const sizes = pages.map((page) => {
    const own = files.find((name) => name.startsWith(`${page}-`)) ?? '';
    return packed(['index.html', 'app.css', ...withImports(join('parts', own), withImports('app.js'))]);
  });
  expect(Math.max(...sizes)).toBeLessThan(40 * 1024);
  expect(Math.min(...sizes)).toBeGreaterThan(15 * 1024);
});
