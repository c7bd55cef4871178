// npm run pictures: docs/live-view.svg and docs/dashboard/*.png, of a project of forty tasks in the middle of a run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { startBrowser, unpackBrowser } from './browser.ts';
import { record } from './picture/record.ts';
import { toSvg } from './picture/svg.ts';
import { AT_WORK, picturedProject, RALPH } from './pictured/project.ts';

const TERMINAL = 'docs/live-view.svg';
const DASHBOARD = 'docs/dashboard';
const SIZE = { width: 1_280, height: 800 };

const { folder, root, env, isInTheMiddle, ralph, close } = await picturedProject();
const start = (...args: string[]) =>
  spawn(process.execPath, [RALPH, ...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });

ralph('trust', '--yes');
for (const sessions of ['1', '5']) await earlierRun(sessions);
const run = record([process.execPath, RALPH, 'run'], root, env);
await Promise.race([isInTheMiddle, run.ended.then(endedTooSoon)]);
const server = start('ui', '--no-open', '--json');
const [line] = (await once(server.stdout, 'data')) as [Buffer];
const { url }: { url: string } = JSON.parse(line.toString());
const browser = await startBrowser(await unpackBrowser(folder), folder);
try {
  rmSync(DASHBOARD, { recursive: true, force: true });
  mkdirSync(DASHBOARD);
  const dark = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
  await picture(dark, 'now-dark', url);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await picture(page, 'now', url);
  for (const [name, path] of Object.entries(addresses())) await picture(page, name, path);
  const svg = toSvg(
    run.moment(/▶ #19 /, /now {3}Bash/),
    80,
    'ralph run: finished tasks above, what is going on below',
  );
  if (svg.includes(folder)) throw new Error('The picture names a folder of this machine.');
  writeFileSync(TERMINAL, svg);
} finally {
  await browser.close();
  server.kill();
  await Promise.all([once(server, 'exit'), run.stop()]);
  await close();
  rmSync(folder, { recursive: true, force: true });
}

async function earlierRun(sessions: string): Promise<void> {
  const child = start('run', '--max-sessions', sessions);
  child.stdout.pipe(process.stdout);
  await once(child, 'exit');
}

function addresses(): Record<string, string> {
  const [session]: { id: string }[] = JSON.parse(ralph('log', '--json', '--task', String(AT_WORK)));
  return {
    tasks: '/tasks',
    task: '/tasks/2',
    graph: '/graph?all=1',
    sessions: '/sessions',
    session: `/sessions/${session?.id}`,
    knowledge: '/knowledge',
    runs: '/runs',
    run: '/runs/3',
  };
}

function endedTooSoon(): never {
  throw new Error('The run was over before it came to its middle.');
}

async function picture(page: Page, name: string, path: string): Promise<void> {
  await page.goto(new URL(path, url).href);
  await page.locator('main[aria-busy=false] h1').waitFor();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await page.screenshot({ path: `${DASHBOARD}/${name}.png` });
}
