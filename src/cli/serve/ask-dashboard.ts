// What a second `ralph ui` asks the first one.
import { newToken, serverProof } from '../../host/http/http-guard.ts';

const WITHIN_MS = 2_000;

/** Nobody else knows the token, nor is given it to find out. */
export async function isOurs(port: number, token: string): Promise<boolean> {
  const [host, nonce] = [`127.0.0.1:${port}`, newToken().slice(0, 32)];
  const { proof } = await answerOf(`http://${host}/api/hello?nonce=${nonce}`);
  return proof === serverProof(token, host, nonce);
}

/** What opens the page once. Only for a server that is ours: it is sent the token. */
export async function ticketFrom(port: number, token: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${token}` };
  const { ticket } = await answerOf(`http://127.0.0.1:${port}/api/ticket`, { method: 'POST', headers });
  return ticket ?? null;
}

type Answer = { proof?: string; ticket?: string };

async function answerOf(url: string, init: RequestInit = {}): Promise<Answer> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(WITHIN_MS) });
    return (await answer.json()) as Answer;
  } catch {
    return {};
  }
}
