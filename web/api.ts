import { takeToken } from './token.ts';

const token = await takeToken();

export const hasToken = token !== null;

/** What the server said no to, in its own sentence. Status 0: it was not this page's server that answered, or none. */
export class RequestError extends Error {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

/** Nobody is there; who is there later may be the same one again. */
export class ServerUnreachable extends RequestError {
  constructor() {
    super(0, 'The server does not answer. Start it again: ralph ui');
  }
}

export const read = async <T>(path: string): Promise<T> => (await request(path)).json();

export type ActionResult = { message: string } & Record<string, unknown>;

export async function act(name: string, input: object): Promise<ActionResult> {
  const body = JSON.stringify(input);
  const headers = { 'content-type': 'application/json' };
  return (await request(`/api/do/${name}`, { method: 'POST', headers, body })).json();
}

/** Fulfilled when the server has shown that it is the one that this page came from; asked anew after it was gone. */
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
    'Something else answers at this address now, and was not given the key of this page. Run ralph ui, and open the address that it prints.',
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

/** What answers next may be another one. */
export function forgetServer(): void {
  verified = null;
}

/** Throws a `Refused` for every answer that is not the one that was asked for. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  await verifyServer();
  const headers = { ...init.headers, authorization: `Bearer ${token ?? ''}` };
  const response = await send(path, { ...init, headers });
  if (response.ok) return response;
  const said: { error?: string } = await response.json().catch(() => ({}));
  throw new RequestError(response.status, said.error ?? `The server answered with ${response.status}.`);
}
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** The same as `proofOf` of the server's guard. */
export async function computeProof(token: string, host: string, nonce: string): Promise<string> {
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(token), hash, false, ['sign']);
  const proof = await crypto.subtle.sign('HMAC', key, bytes(`${host} ${nonce}`));
  return [...new Uint8Array(proof)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
