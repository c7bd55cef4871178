// What a second `ralph ui` asks the first one over HTTP.
import { newToken, serverProof } from '../../host/http/http-guard.ts';

const TIMEOUT_MS = 2_000;

/** True if the server there knows the token. It proves that by a hash: a foreign server never sees the token. */
export async function isOwnDashboard(port: number, token: string): Promise<boolean> {
  const [host, nonce] = [`127.0.0.1:${port}`, newToken().slice(0, 32)];
  const { proof } = await fetchAnswer(`http://${host}/api/hello?nonce=${nonce}`);
  return proof === serverProof(token, host, nonce);
}

/** A ticket that opens the page once. Sends the token, so only to a server that isOwnDashboard has confirmed. */
export async function requestTicket(port: number, token: string): Promise<string | null> {
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
