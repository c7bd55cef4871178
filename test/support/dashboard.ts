// The real dashboard, in a process of its own or within the test, and a real browser that looks at it.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { startBrowser } from '../../scripts/browser.ts';
import { withQueue } from '../../src/app/open-project.ts';
import { uiBackend } from '../../src/app/ui-backend.ts';
import { newAddress } from '../../src/host/http/dashboard-address.ts';
import { serveUi } from '../../src/ui/serve.ts';
import type { TestBrowser } from './browser.ts';
import { askDesk } from './desk.ts';
import { rawServer, serverEnv } from './mcp.ts';
import { type TestProject, worldFor } from './ralph.ts';

export type DashboardPlace = {
  /** With the token in its fragment. */
  url: string;
  origin: string;
  token: string;
};

export type Dashboard = DashboardPlace & {
  /** By a signal, as a person or a crash would; fulfilled when the process is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
};

export async function dashboard(project: TestProject, ...args: string[]): Promise<Dashboard> {
  const server = rawServer(project, {}, ['ui', '--no-open', '--json', ...args]);
  const line = await new Promise<string>((found, failed) => {
    server.child.stdout.once('data', found);
    void server.exited.then(() => failed(new Error(server.output().stderr)));
  });
  const { url }: { url: string } = JSON.parse(line);
  const { origin, hash } = new URL(url);
  return {
    url,
    origin,
    token: hash.slice(1),
    signal: (signal) => void server.child.kill(signal),
    stop: async (signal = 'SIGTERM') => {
      server.child.kill(signal);
      await server.exited;
    },
  };
}

/** What `dashboardWithin` would show in its terminal. */
export const CODE = 'ABCD2345';

/** The same server without a process of its own: for what is about pages, not about processes. */
export async function dashboardWithin(
  project: TestProject,
  { isReadOnly = false } = {},
): Promise<DashboardPlace> {
  const { root } = project;
  const world = worldFor(root, serverEnv(project), { out: () => {}, err: () => {} });
  const context = { ...world, project: root, asJson: true };
  const pageFolder = join(dirname(inject('ralph')), 'web');
  const { token } = newAddress();
  let end = () => {};
  const isOver = new Promise<void>((over) => {
    end = over;
  });
  const port = await new Promise<number>((found, failed) => {
    const served = withQueue(
      context,
      async (opened) => {
        const server = await serveUi(uiBackend(context, opened, isReadOnly), {
          port: 0,
          token,
          code: CODE,
          pageFolder,
        });
        found(server.port);
        await isOver;
        await server.close();
      },
      { channel: 'ui', isReadOnly },
    );
    served.catch(failed);
    onTestFinished(async () => {
      end();
      await served;
    });
  });
  const origin = `http://127.0.0.1:${port}`;
  return { url: `${origin}/#${token}`, origin, token };
}

/** A name that somebody else's DNS points to this machine. */
export const REBOUND = 'evil.test';

let started: Promise<Browser> | undefined;

/** One for all files of a worker; it ends with the worker. Each page has a context of its own. */
function browser(): Promise<Browser> {
  started ??= askDesk(inject('browser')).then((answer) => {
    const { place, home }: TestBrowser = JSON.parse(answer);
    return startBrowser(place, home, `--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`);
  });
  return started;
}

/** One that belongs to somebody else: what goes wrong in it is no fault of ours. */
export async function openStranger(): Promise<Page> {
  const context = await (await browser()).newContext();
  onTestFinished(() => context.close());
  return context.newPage();
}

const [, FADE_AFTER_MS] =
  /FADE_AFTER_MS = ([\d_]+);/.exec(readFileSync('web/notice.tsx', 'utf8')) ?? expect.unreachable();

/** What an action came to fades after some seconds, and a test may take longer to look. */
const NOTICES_STAY = `{
  const { setTimeout } = window;
  window.setTimeout = (work, ms, ...rest) => (ms === ${FADE_AFTER_MS} ? 0 : setTimeout(work, ms, ...rest));
}`;

/** Long enough for every wait; only a test that fails waits for so long. */
const BUSY_MACHINE_MS = 120_000;

export async function openPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await (await browser()).newContext(options);
  await context.addInitScript(NOTICES_STAY);
  const page = await context.newPage();
  page.setDefaultTimeout(BUSY_MACHINE_MS);
  // What a page reads moves what stands below it: a click must not hit where something was.
  await page.addLocatorHandler(page.locator('main[aria-busy="true"]'), async () => {});
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(error.message));
  // A connection that is refused is part of what is tested; everything else that is told there is a fault.
  page.on('console', (message) => {
    if (message.type() === 'error' && !/net::ERR_|status of/.test(message.text())) wrong.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(wrong).toEqual([]);
  });
  return page;
}

/** By the page, not by the browser, which may not have heard yet of where the page has gone. */
export const goBack = (page: Page): Promise<void> => page.evaluate('history.back()');

export const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))';

/** As a link on the page would: to load all of the dashboard anew takes ten times as long. Fulfilled when it is drawn. */
export const followLink = (page: Page, path: string): Promise<void> =>
  page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}), dispatchEvent(new PopStateEvent('popstate')), ${DRAWN}`,
  );

/** As the page itself asks; `headers` over its own. */
export const asked = (
  { origin, token }: Pick<DashboardPlace, 'origin' | 'token'>,
  path: string,
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${origin}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, ...init.headers },
  });

export const acted = (place: DashboardPlace, name: string, input: unknown): Promise<Response> =>
  asked(place, `/api/do/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  });
