// `ralph ui`: the dashboard's server until a signal comes, where it was last time if it can.
import { dirname, join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { type DashboardAddress, keepAddress, lastAddress, newAddress } from '../host/dashboard-address.ts';
import { newToken, proofOf } from '../host/http-guard.ts';
import { firstSignal } from '../host/lifetime.ts';
import { openBrowser } from '../host/open-browser.ts';
import { type Serving, serveUi } from '../ui/serve.ts';
import type { CommandContext } from './command.ts';
import { type Project, withQueue } from './project.ts';
import { stateHome } from './state-home.ts';
import type { UiOptions } from './ui.ts';
import { uiOffice } from './ui-office.ts';

const PROBE_WITHIN_MS = 2_000;

export const serveDashboard = (context: CommandContext, options: UiOptions): Promise<void> =>
  withQueue(context, (project) => serveUntilSignal(context, project, options), 'ui');

async function serveUntilSignal(
  context: CommandContext,
  project: Project,
  options: UiOptions,
): Promise<void> {
  const { env, now, cwd, pipes, asJson, terminal } = context;
  const home = stateHome(env);
  const last = (await lastAddress(home, project.root, now())) ?? newAddress();
  const serving = await serveAt(context, project, options, last);
  const port = serving?.port ?? options.port ?? last.port;
  const url = `http://127.0.0.1:${port}/#${last.token}`;
  if (asJson) pipes.print(`${JSON.stringify({ url })}\n`);
  else pipes.print(serving === null ? `It is there already:\n  ${url}\n` : started(url));
  if (options.open && !asJson && terminal.ask !== null && !openBrowser(url, cwd, env))
    pipes.print('No browser was found to open it with; open the address yourself.\n');
  if (serving === null) return;
  await keepAddress(home, project.root, { token: last.token, port }, now());
  await firstSignal();
  await serving.close();
}

const started = (url: string): string =>
  `The dashboard of this project, until Ctrl-C:\n  ${url}\nThe address is the key to it; it works on this machine alone.\n`;

/** Null where another process serves this project's dashboard there. */
async function serveAt(
  context: CommandContext,
  project: Project,
  { port, readOnly = false }: UiOptions,
  last: DashboardAddress,
): Promise<Serving | null> {
  const pageFolder = join(dirname(context.program.script), 'web');
  const serve = (at: number): Promise<Serving> =>
    serveUi(uiOffice(context, project, readOnly), { port: at, token: last.token, pageFolder });
  const wanted = port ?? last.port;
  try {
    return await serve(wanted);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (await isOurs(wanted, last.token)) return null;
    if (port !== undefined) throw error;
    return serve(0);
  }
}

/** Nobody else knows the token, nor is given it to find out. */
async function isOurs(port: number, token: string): Promise<boolean> {
  const [host, nonce] = [`127.0.0.1:${port}`, newToken().slice(0, 32)];
  const signal = AbortSignal.timeout(PROBE_WITHIN_MS);
  try {
    const answer = await fetch(`http://${host}/api/hello?nonce=${nonce}`, { signal });
    const { proof } = (await answer.json()) as { proof?: string };
    return proof === proofOf(token, host, nonce);
  } catch {
    return false;
  }
}
