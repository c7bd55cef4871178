// `ralph ui`: serves the dashboard until a signal comes, at the address of last time if possible.
import { dirname, join } from 'node:path';
import { requirePersonOrProgram } from '../../app/definitions/consent.ts';
import { stateHome } from '../../app/definitions/trust.ts';
import { type Project, withQueue } from '../../app/open-project.ts';
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
import { newCode, newToken, serverProof } from '../../host/http/http-guard.ts';
import { firstSignal } from '../../host/processes/lifetime.ts';
import { serveUi, type UiServer } from '../../ui/serve.ts';
import type { UiOptions } from '../commands/setup/ui.ts';

export const serveDashboard = (context: CommandContext, options: UiOptions): Promise<void> =>
  withQueue(
    context,
    async (project) => {
      await requirePersonOrProgram(context, project, 'opens the dashboard');
      await serveUntilSignal(context, project, options);
    },
    { channel: 'ui', isReadOnly: options.readOnly === true },
  );

async function serveUntilSignal(
  context: CommandContext,
  project: Project,
  options: UiOptions,
): Promise<void> {
  const { env, now } = context;
  const place = { stateHome: stateHome(env), root: project.root, isReadOnly: options.readOnly === true };
  const last = (await lastAddress(place, now())) ?? newAddress();
  const code = newCode();
  const serving = await serveAt(context, project, options, { ...last, code });
  const address = { token: last.token, port: serving?.port ?? options.port ?? last.port };
  // Listen before the address is printed: a script that reads it may send the signal at once.
  const isOver = serving === null ? null : firstSignal();
  try {
    if (serving !== null) await saveOrWarn(context, place, address);
    await announce(context, options, address, serving === null ? null : code);
    await isOver;
  } finally {
    await serving?.close();
  }
}

/** If it cannot be saved, this dashboard still works; only the next one has another address. */
async function saveOrWarn(
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
  /** Null if another process serves, in whose terminal it is. */
  code: string | null,
): Promise<void> {
  const origin = `http://127.0.0.1:${port}/`;
  const url = `${origin}#${token}`;
  if (asJson) {
    pipes.print(`${JSON.stringify({ url, ...(code !== null && { code }) })}\n`);
    return;
  }
  pipes.print(code === null ? `The dashboard is running already:\n  ${url}\n` : startedText(url, code));
  if (!open || terminal.ask === null) return;
  // Every user of this machine can read a browser's command line: it gets a one-time ticket, not the token.
  const ticket = await requestTicket(port, token);
  if (ticket === null || !openBrowser(`${origin}#${ticket}`, cwd, env))
    pipes.print('No browser was found to open it with; open the address yourself.\n');
}

const startedText = (url: string, code: string): string =>
  `The dashboard of this project, until Ctrl-C:\n  ${url}\nThe address contains the access token, and works on this machine only.\nBefore the page changes a definition, it asks for this code: ${code}\n`;

/** Null if another process already serves this project's dashboard there. */
async function serveAt(
  context: CommandContext,
  project: Project,
  { port, readOnly = false }: UiOptions,
  last: DashboardAddress & { code: string },
): Promise<UiServer | null> {
  const pageFolder = join(dirname(context.program.script), 'web');
  const serve = (at: number): Promise<UiServer> =>
    serveUi(uiBackend(context, project, readOnly), {
      port: at,
      token: last.token,
      code: last.code,
      pageFolder,
    });
  const preferred = port ?? last.port;
  try {
    return await serve(preferred);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (await isOwnDashboard(preferred, last.token)) return null;
    if (port !== undefined) throw error;
    return serve(0);
  }
}

// What a second `ralph ui` asks the first one over HTTP.

/** A dashboard on a busy machine is not somebody else's server: the second one would then open beside it. */
const TIMEOUT_MS = 10_000;

/** True if the server there knows the token. It proves that by a hash: a foreign server never sees the token. */
async function isOwnDashboard(port: number, token: string): Promise<boolean> {
  const [host, nonce] = [`127.0.0.1:${port}`, newToken().slice(0, 32)];
  const { proof } = await fetchAnswer(`http://${host}/api/hello?nonce=${nonce}`);
  return proof === serverProof(token, host, nonce);
}

/** A ticket that opens the page once. Sends the token, so only to a server that isOwnDashboard has confirmed. */
async function requestTicket(port: number, token: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${token}` };
  const { ticket } = await fetchAnswer(`http://127.0.0.1:${port}/api/ticket`, { method: 'POST', headers });
  return ticket ?? null;
}

type Answer = { proof?: string; ticket?: string };

async function fetchAnswer(url: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return (await answer.json()) as Answer;
  } catch {
    return {};
  }
}
