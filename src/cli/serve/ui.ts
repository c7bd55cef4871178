// `ralph ui`: the dashboard's server until a signal comes, where it was last time if it can.
import { dirname, join } from 'node:path';
import { type Project, withQueue } from '../../app/open-project.ts';
import { stateHome } from '../../app/trust.ts';
import { uiBackend } from '../../app/ui-backend.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import {
  type AddressPlace,
  type DashboardAddress,
  lastAddress,
  newAddress,
  openBrowser,
  saveAddress,
} from '../../host/http/dashboard-address.ts';
import { firstSignal } from '../../host/processes/lifetime.ts';
import { serveUi, type UiServer } from '../../ui/serve.ts';
import type { UiOptions } from '../commands/ui.ts';
import { isOurs, ticketFrom } from './ask-dashboard.ts';

export const serveDashboard = (context: CommandContext, options: UiOptions): Promise<void> =>
  withQueue(context, (project) => serveUntilSignal(context, project, options), {
    door: 'ui',
    isReadOnly: options.readOnly === true,
  });

async function serveUntilSignal(
  context: CommandContext,
  project: Project,
  options: UiOptions,
): Promise<void> {
  const { env, now } = context;
  const place = { stateHome: stateHome(env), root: project.root, isReadOnly: options.readOnly === true };
  const last = (await lastAddress(place, now())) ?? newAddress();
  const serving = await serveAt(context, project, options, last);
  const address = { token: last.token, port: serving?.port ?? options.port ?? last.port };
  // Heard from here on: whoever reads the address may end it at once.
  const isOver = serving === null ? null : firstSignal();
  try {
    if (serving !== null) await keepIfPossible(context, place, address);
    await announce(context, options, address, serving === null);
    await isOver;
  } finally {
    await serving?.close();
  }
}

/** Without it this dashboard works as well; only the next one will be elsewhere. */
async function keepIfPossible(
  { now, pipes }: CommandContext,
  place: AddressPlace,
  address: DashboardAddress,
): Promise<void> {
  try {
    await saveAddress(place, address, now());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    pipes.log(`ralph: The next ralph ui will have another address: ${error.message}\n`);
  }
}

async function announce(
  { cwd, env, pipes, asJson, terminal }: CommandContext,
  { open }: UiOptions,
  { port, token }: DashboardAddress,
  isThere: boolean,
): Promise<void> {
  const origin = `http://127.0.0.1:${port}/`;
  const url = `${origin}#${token}`;
  if (asJson) {
    pipes.print(`${JSON.stringify({ url })}\n`);
    return;
  }
  pipes.print(isThere ? `It is there already:\n  ${url}\n` : started(url));
  if (!open || terminal.ask === null) return;
  // What a browser is started with, every user of this machine can read; so it is not the key.
  const ticket = await ticketFrom(port, token);
  if (ticket === null || !openBrowser(`${origin}#${ticket}`, cwd, env))
    pipes.print('No browser was found to open it with; open the address yourself.\n');
}

const started = (url: string): string =>
  `The dashboard of this project, until Ctrl-C:\n  ${url}\nThe address is the key to it; it works on this machine alone.\n`;

/** Null where another process serves this project's dashboard there. */
async function serveAt(
  context: CommandContext,
  project: Project,
  { port, readOnly = false }: UiOptions,
  last: DashboardAddress,
): Promise<UiServer | null> {
  const pageFolder = join(dirname(context.program.script), 'web');
  const serve = (at: number): Promise<UiServer> =>
    serveUi(uiBackend(context, project, readOnly), { port: at, token: last.token, pageFolder });
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
