import type { IncomingMessage } from 'node:http';
import { Unserved } from './unserved.ts';

/** Several times what the longest text of a task may be. */
const MAX_BODY_BYTES = 2 * 1024 * 1024;

/** Only JSON that says so: what a form of another page could send without asking first is none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new Unserved(415, 'Actions are sent as application/json; nothing was changed.');
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooMuch();
  const chunks: Buffer[] = [];
  let length = 0;
  // Without its end the connection lives on for as long as the answer needs.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw tooMuch();
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new Unserved(400, 'That is not JSON; nothing was changed.');
  }
}

const tooMuch = (): Unserved => new Unserved(413, 'That is more than can be kept; nothing was changed.');
