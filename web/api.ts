// Requests to the server. The page sends its token only to the server that it came from.

const STORAGE_KEY = 'ralph-token';
const TOKEN = /^[0-9a-f]{64}$/;
/** In the address that Ralph opens in a browser itself: the server exchanges it for the token once. */
const TICKET = /^once-[0-9a-f]{32}$/;
const isCredential = (text: string): boolean => TOKEN.test(text) || TICKET.test(text);

// After the constants above: taking the token needs them at once.
const token = await takeToken();

export const hasToken = token !== null;

/** A refused request, with the server's sentence. Status 0: no server answered, or another one than this page's. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** No server answered. The one that answers later may be this page's again. */
export class ServerUnreachable extends RequestError {
  constructor() {
    super(0, 'The server does not answer. Start it again: ralph ui');
  }
}

export const read = async <T>(path: string): Promise<T> => (await request(path)).json();

export type ActionResult = { message: string } & Record<string, unknown>;

/** `code`: what the terminal of the server shows, for the actions that ask for it. */
export async function act(name: string, input: object, code: string | null = null): Promise<ActionResult> {
  const body = JSON.stringify(input);
  const headers = { 'content-type': 'application/json', ...(code !== null && { 'ralph-code': code }) };
  return (await request(`/api/do/${name}`, { method: 'POST', headers, body })).json();
}

/** Fulfilled once the server has proven that this page came from it. Reset when the server goes away. */
let verified: Promise<void> | null = null;

export const verifyServer = (): Promise<void> => {
  verified ??= checkProof();
  return verified;
};

async function checkProof(): Promise<void> {
  const nonce = crypto.randomUUID().replaceAll('-', '');
  const response = await send(`/api/hello?nonce=${nonce}`, {});
  const { proof }: { proof?: string } = await response.json().catch(() => ({}));
  if (proof === (await computeProof(token ?? '', location.host, nonce))) return;
  verified = null;
  throw new RequestError(
    0,
    'Another program answers at this address now. It did not get the key of this page. Run ralph ui, and open the address that it prints.',
  );
}

async function send(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...init, credentials: 'omit', cache: 'no-store' });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    forgetServer();
    throw new ServerUnreachable();
  }
}

/** The next server at this address may be another one, so it has to prove itself again. */
export function forgetServer(): void {
  verified = null;
}

/** Throws a `RequestError` for every answer but a success. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  await verifyServer();
  const headers = { ...init.headers, authorization: `Bearer ${token ?? ''}` };
  const response = await send(path, { ...init, headers });
  if (response.ok) return response;
  const { error }: { error?: string } = await response.json().catch(() => ({}));
  throw new RequestError(response.status, error ?? `The server answered with ${response.status}.`);
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Must equal the proof of the server's guard, `host/http/http-guard.ts`. */
async function computeProof(token: string, host: string, nonce: string): Promise<string> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(token), hash, false, ['sign']);
  const proof = await crypto.subtle.sign('HMAC', key, bytes(`${host} ${nonce}`));
  return [...new Uint8Array(proof)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// The access token. It comes in the fragment of the address, which browsers send to no server, and is removed from there.

async function takeToken(): Promise<string | null> {
  const fragment = location.hash.slice(1);
  if (isCredential(fragment)) history.replaceState(null, '', location.pathname + location.search);
  const token = TICKET.test(fragment) ? await redeemTicket(fragment) : fragment;
  if (TOKEN.test(token)) sessionStorage.setItem(STORAGE_KEY, token);
  return sessionStorage.getItem(STORAGE_KEY);
}

async function redeemTicket(ticket: string): Promise<string> {
  const headers = { authorization: `Bearer ${ticket}` };
  const sent = fetch('/api/enter', { method: 'POST', headers, credentials: 'omit', cache: 'no-store' });
  const { token = '' }: { token?: string } = await sent.then((answer) => answer.json()).catch(() => ({}));
  return token;
}

// A browser loads no new page where only the fragment differs, so a new token needs a reload to be taken.
addEventListener('hashchange', () => {
  if (isCredential(location.hash.slice(1))) location.reload();
});
