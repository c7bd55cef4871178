import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { MEASURES } from '../../src/domain/graph/layout.ts';
import { dashboardWithin, followLink, goBack, openPage } from '../support/dashboard.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

/** 1 ─▶ 2 ─▶ 4 ─▶ 5, 3 ─▶ 4, 3 ─▶ 6; 7 waits for 8, which is done. */
const TASKS = `tasks:
  - { id: 1, title: Create queue schema, feature: queue }
  - { id: 2, title: Add migrations, depends_on: [1], feature: queue, estimated_turns: 12 }
  - { id: 3, title: Webhook retry }
  - { id: 4, title: Build the API, depends_on: [2, 3], feature: queue }
  - { id: 5, title: Document the API, depends_on: [4] }
  - { id: 6, title: "<b>Retry</b> tests", depends_on: [3] }
  - { id: 7, title: Log in, depends_on: [8] }
  - { id: 8, title: Choose a provider, status: done }
`;

async function webshop(): Promise<TestProject> {
  const project = await initialised();
  writeFileSync(join(project.root, '.ralph/features.yaml'), 'features:\n  - { name: queue }\n');
  writeFileSync(join(project.root, '.ralph/tasks.yaml'), TASKS);
  return project;
}

type Drawn = {
  nodes: { id: number; critical: boolean }[];
  edges: { from: number; to: number; critical: boolean }[];
};

/** As `ralph graph --json` tells it. */
async function told(project: TestProject, ...args: string[]): Promise<Drawn> {
  const { nodes, edges } = (await project.json('graph', ...args)) as Drawn;
  return sorted({
    nodes: nodes.map(({ id, critical }) => ({ id, critical })),
    edges: edges.map(({ from, to, critical }) => ({ from, to, critical })),
  });
}

/** As it can be seen: an edge joins the boxes that its line begins and ends at. */
async function seen(page: Page): Promise<Drawn> {
  const boxes = await page.locator('.node').evaluateAll((found) =>
    found.map((box) => ({
      id: Number(box.getAttribute('data-id')),
      critical: box.classList.contains('critical'),
      x: Number.parseFloat(box.style.left),
      y: Number.parseFloat(box.style.top),
    })),
  );
  const lines = await linesOf(page);
  const boxAt = (x: number, y: number): number =>
    boxes.find((box) => box.x === x && Math.round(box.y + MEASURES.height / 2) === y)?.id ?? Number.NaN;
  return sorted({
    nodes: boxes.map(({ id, critical }) => ({ id, critical })),
    edges: lines.map(({ first, last, critical }) => ({
      from: boxAt(first.x - MEASURES.width, first.y),
      to: boxAt(last.x, last.y),
      critical,
    })),
  });
}

type Line = { first: Point; last: Point; critical: boolean; kin: boolean };
type Point = { x: number; y: number };

/** Edges that look alike are drawn as one line with gaps. */
async function linesOf(page: Page): Promise<Line[]> {
  const drawn = await page.locator('.graph-paper path:not(.arrows)').evaluateAll((found) =>
    found.map((line) => ({
      path: String(line.getAttribute('d')),
      look: String(line.getAttribute('class')),
    })),
  );
  return drawn.flatMap(({ path, look }) =>
    path.split(/(?=M)/).map((line) => {
      const points = pointsOf(line);
      const [first, last] = [points[0], points.at(-1)];
      if (first === undefined || last === undefined) throw new Error(`no line: ${line}`);
      return { first, last, critical: look.includes('critical'), kin: look.includes('kin') };
    }),
  );
}

/** Of M, H and C, which is all that is used. */
function pointsOf(line: string): Point[] {
  let here: Point = { x: 0, y: 0 };
  return (line.match(/[MHC][^MHC]*/g) ?? []).map((step) => {
    const numbers = step.slice(1).split(' ').map(Number);
    const [x = 0, y = here.y] = step.startsWith('H') ? numbers : numbers.slice(-2);
    here = { x, y };
    return here;
  });
}

const sorted = ({ nodes, edges }: Drawn): Drawn => ({
  nodes: nodes.sort((one, other) => one.id - other.id),
  edges: edges.sort((one, other) => one.from - other.from || one.to - other.to),
});

/** Those of the picture from afar, which has no others. */
const drawnBoxes = (page: Page): Promise<number> =>
  page
    .locator('.picture path:not(.rim)')
    .evaluateAll((found) => found.map((shape) => String(shape.getAttribute('d')).split('M').length - 1))
    .then((counts) => counts.reduce((sum, count) => sum + count, 0));

const idsOf = async (page: Page, selector: string): Promise<number[]> =>
  (
    await page
      .locator(selector)
      .evaluateAll((found) => found.map((box) => Number(box.getAttribute('data-id'))))
  ).sort((one, other) => one - other);

describe('the page of the graph', () => {
  it('the page of the graph draws what the terminal tells, and shows the past and the future of one task', async () => {
    const project = await webshop();
    const { url, origin } = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(url);
    await page.getByRole('link', { name: 'Graph' }).click();
    const four = page.getByRole('button', {
      name: '#4 Build the API, waiting, waits for #2 and #3, 1 waits for it',
    });
    await four.waitFor();
    expect(await seen(page)).toEqual(await told(project));
    await page.getByText('critical path: 4 tasks, 15 turns').waitFor();
    await page.getByRole('button', { name: '#6 <b>Retry</b> tests' }).waitFor();

    await page.getByRole('button', { name: '#2 Add migrations' }).click();
    const panel = page.getByRole('complementary', { name: 'Task #2' });
    await panel.waitFor();
    const relatives = (await told(project, '2')).nodes.map(({ id }) => id);
    expect(relatives).toEqual([1, 2, 4, 5]);
    expect(await idsOf(page, '.node.kin')).toEqual(relatives);
    expect(await idsOf(page, '.node.past')).toEqual([1]);
    expect((await linesOf(page)).filter(({ kin }) => kin)).toHaveLength(3);
    expect(page.url()).toBe(`${origin}/graph?task=2`);
    await panel.getByRole('button', { name: '#4 Build the API' }).click();
    await page.getByText('At the end of the chain, it waits for').waitFor();
    expect(await idsOf(page, '.node.past')).toEqual([1, 2, 3]);
    await page.getByRole('link', { name: 'Only around it' }).click();
    await page.getByRole('button', { name: '#6 <b>' }).waitFor({ state: 'detached' });
    expect(await seen(page)).toEqual(await told(project, '4'));
    await goBack(page);
    await page.getByRole('button', { name: '#6 <b>' }).waitFor();

    await page.getByRole('button', { name: 'Show 1 done or skipped' }).click();
    await page.getByRole('button', { name: '#8 Choose a provider, done' }).waitFor();
    expect(await seen(page)).toEqual(await told(project, '--all'));
    await page.getByLabel('Feature').selectOption('queue');
    await page.getByText('not shown: 1 open task elsewhere').waitFor();
    expect(await seen(page)).toEqual(await told(project, '--all', '--feature', 'queue'));
    await page.reload();
    await page.getByText('not shown: 1 open task elsewhere').waitFor();
    expect(new URL(page.url()).search).toBe('?all=1&feature=queue');
    await followLink(page, '/graph?feature=queu');
    await page.getByText('There is no feature "queu"').waitFor();
  });

  it('the page of the graph is walked by keys, and keeps its place when something happens', async () => {
    const project = await webshop();
    const { url, origin } = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(url.replace('/#', '/graph#'));
    await page.getByRole('button', { name: '#1 Create queue schema, ready' }).focus();
    const here = () => page.locator('.node:focus').getAttribute('data-id').then(Number);
    const walk = async (...keys: string[]): Promise<number> => {
      for (const key of keys) await page.keyboard.press(key);
      return here();
    };
    expect(await walk('ArrowRight', 'ArrowRight')).toBe(4);
    expect(await walk('ArrowLeft')).toBe(2);
    expect(await walk('End')).toBe(5);
    expect(await idsOf(page, '.node[tabindex="0"]')).toEqual([5]);
    const reached = new Set([await walk('Home')]);
    for (let step = 0; step < 6; step++) reached.add(await walk('PageDown'));
    expect([...reached].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);

    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Task #1' }).waitFor();
    await page.keyboard.press('+');
    const zoom = page.getByRole('button', { name: 'Zoom to 100%' });
    const scale = await zoom.textContent();
    const one = page.getByRole('button', { name: '#1 Create queue schema' });
    const place = await one.boundingBox();
    await project.json('skip', '7');
    await page.getByRole('button', { name: '#7 Log in' }).waitFor({ state: 'detached' });
    await project.json('add', 'Say hello', '--depends-on', '1');
    await page.getByRole('button', { name: '#9 Say hello, waiting, waits for #1' }).waitFor();
    expect(await idsOf(page, '.node.chosen')).toEqual([1]);
    expect(await here()).toBe(1);
    expect(await zoom.textContent()).toBe(scale);
    expect(await one.boundingBox()).toEqual(place);

    await page.mouse.move(300, 400);
    await page.mouse.wheel(0, 50);
    await expect.poll(async () => (await one.boundingBox())?.y).toBeCloseTo((place?.y ?? 0) - 50);
    await page.keyboard.press('o');
    await page.waitForURL(`${origin}/tasks/1`);
  });

  it('the page of the graph holds no more of many tasks than the window shows, and takes keys and clicks to all of them', async () => {
    const project = await initialised();
    // Four hundred in chains of four, so that all of them fit in only from afar.
    const tasks = Array.from({ length: 400 }, (_, index) => {
      const waits = index % 4 === 0 ? '' : `, depends_on: [${index}]`;
      return `  - { id: ${index + 1}, title: Task ${index + 1}${waits} }\n`;
    });
    writeFileSync(join(project.root, '.ralph/tasks.yaml'), `tasks:\n${tasks.join('')}`);
    const { url } = await dashboardWithin(project);
    const page = await openPage();
    await page.goto(url.replace('/#', '/graph#'));
    await page.getByRole('region', { name: 'Graph of 400 tasks' }).waitFor();
    const boxes = page.locator('.node');
    await boxes.first().focus();
    expect(await boxes.count()).toBeLessThan(200);
    await page.keyboard.press('End');
    await page.locator('.node:focus').waitFor();
    const last = await page.locator('.node:focus').getAttribute('data-id');
    expect(await page.locator('.node:focus').isVisible()).toBe(true);

    await page.keyboard.press('f');
    const picture = page.locator('.picture path');
    await picture.first().waitFor();
    // Nothing is left but what the keyboard is at.
    expect(await idsOf(page, '.node')).toEqual([Number(last)]);
    expect(await drawnBoxes(page)).toBe(400);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => idsOf(page, '.node:focus')).toEqual([Number(last) - 1]);

    const box = await page.locator('.node:focus').boundingBox();
    await page.keyboard.press('Home');
    await expect.poll(() => idsOf(page, '.node')).not.toContain(Number(last) - 1);
    await page.mouse.click((box?.x ?? 0) + 2, (box?.y ?? 0) + 2);
    await page.getByRole('complementary', { name: `Task #${Number(last) - 1}` }).waitFor();
    // It still looks as it does from afar.
    expect(await page.locator('.node.chosen .title').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(new URL(page.url()).search).toBe(`?task=${Number(last) - 1}`);
  });

  it('the page of the graph says what to type where there is nothing to draw, and what to do where its script is gone', async () => {
    const { url, origin } = await dashboardWithin(await initialised());
    const page = await openPage();
    await page.route('**/parts/graph-*.js', (route) => route.abort());
    await page.goto(url);
    await page.getByRole('link', { name: 'Graph' }).click();
    await page.getByText('Ralph was updated since you opened this page').waitFor();
    await page.unroute('**/parts/graph-*.js');
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('ralph add "What comes then" --depends-on 1').waitFor();
    expect(page.url()).toBe(`${origin}/graph`);
  });
});
