// npm run screenshots: the pictures of the dashboard in docs/dashboard/, of the demonstration's project as a person would meet it.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { startBrowser, unpackBrowser } from './browser.ts';
import { makeProject } from './demo/make-project.ts';
import { ATTEMPTS } from './demo/story.ts';

const FOLDER = 'docs/dashboard';
const RALPH = resolve('dist/ralph.js');
const SIZE = { width: 1_200, height: 760 };

const { folder, root, env } = await makeProject(ATTEMPTS);
const ralph = (...args: string[]) => execFileSync(process.execPath, [RALPH, ...args], { cwd: root, env });

/** Ends with another code than 0 where it waits for somebody, which is what the first picture shows. */
function run(): void {
  try {
    ralph('run');
  } catch {
    // Told by what it leaves in the queue.
  }
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
ralph('trust', '--yes');
run();
const server = spawn(process.execPath, [RALPH, 'ui', '--no-open', '--json'], { cwd: root, env });
const [line] = (await once(server.stdout, 'data')) as [Buffer];
const { url }: { url: string } = JSON.parse(line.toString());
const browser = await startBrowser(await unpackBrowser(folder), folder);
try {
  const dark = await browser.newPage({ viewport: SIZE, colorScheme: 'dark' });
  await picture(dark, 'now-dark', url);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'light' });
  await picture(page, 'now', url);
  await picture(page, 'graph', '/graph?all=1');
  ralph('answer', '1', '40');
  run();
  for (const [name, path] of Object.entries(addressesOfTheEnd())) await picture(page, name, path);
} finally {
  await browser.close();
  server.kill();
  await once(server, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

function addressesOfTheEnd(): Record<string, string> {
  const [session]: { id: string }[] = JSON.parse(ralph('log', '--json').toString());
  return {
    tasks: '/tasks',
    task: '/tasks/2',
    sessions: '/sessions',
    session: `/sessions/${session?.id}`,
    knowledge: '/knowledge',
    runs: '/runs',
    run: '/runs/1',
  };
}

async function picture(page: Page, name: string, path: string): Promise<void> {
  await page.goto(new URL(path, url).href);
  await page.locator('main[aria-busy=false] h1').waitFor();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
}
