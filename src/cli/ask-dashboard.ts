// What a second `ralph ui` asks the first one.
import { newToken, proofOf } from '../host/http-guard.ts';

const WITHIN_MS = 2_000;

/** Nobody else knows the token, nor is given it to find out. */
export async function isOurs(port: number, token: string): Promise<boolean> {
  const [host, nonce] = [`127.0.0.1:${port}`, newToken().slice(0, 32)];
  const { proof } = await answerOf(`http://${host}/api/hello?nonce=${nonce}`);
  return proof === proofOf(token, host, nonce);
}

type Answer = { proof?: string };

async function answerOf(url: string): Promise<Answer> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
    return (await answer.json()) as Answer;
  } catch {
    return {};
  }
}
