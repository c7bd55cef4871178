// Reads what GitHub, or a server in its place, answers: bounded, and as far as it can be read.
import { Refusal } from '../../domain/refusal.ts';
import { truncate } from '../../domain/text/text.ts';

export async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Refusal('The answer of GitHub is too long; choose issues with --label.');
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  return parts.join('');
}

/** GitHub explains an error in `{"message": "...", "errors": [{"message": "..."}]}`. */
export function readMessage(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const errors = isRecord(value) && Array.isArray(value['errors']) ? value['errors'] : [];
    const messages = [value, ...errors].map((one) => (isRecord(one) ? one['message'] : null));
    const found = messages.filter((message) => typeof message === 'string' && message !== '');
    return truncate(found.join(': ').replace(/\s+/g, ' ').trim(), 200);
  } catch {
    return '';
  }
}

/** From `<https://...?page=2>; rel="next", <...>; rel="last"`. */
export const nextPage = (link: string | null): string | null =>
  /<([^<>]+)>\s*;[^,<]*\brel="?next"?/i.exec(link ?? '')?.[1] ?? null;

/** Not for a refusal, which no second try would change. */
export function failureReason(error: unknown): string {
  if (error instanceof Refusal) throw error;
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return 'it gave no answer in time';
  // fetch reports "fetch failed" and hides the reason in the cause.
  return error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.message;
}

export type GithubRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is GithubRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** How long GitHub asks to wait at least where it does not say how long. */
const SECONDARY_MS = 60_000;

type RefusedAnswer = { status: number; headers: Headers; message: string };

/**
 * When the next request may be sent, if this answer says that there were too many; null for any other answer. `tries`: how often
 * GitHub has said so in a row.
 */
export function limitEnd(
  { status, headers, message }: RefusedAnswer,
  now: number,
  tries: number,
): number | null {
  if (status !== 403 && status !== 429) return null;
  const after = readNumber(headers.get('retry-after'));
  if (after !== null) return now + after * 1_000;
  const reset = readNumber(headers.get('x-ratelimit-reset'));
  // One second more: GitHub counts in whole seconds.
  if (headers.get('x-ratelimit-remaining') === '0' && reset !== null)
    return Math.max(now, reset * 1_000) + 1_000;
  // A 403 without these words means that the token may not read this.
  if (status === 429 || /rate limit|abuse detection/i.test(message)) return now + SECONDARY_MS * 2 ** tries;
  return null;
}

const readNumber = (value: string | null): number | null =>
  value !== null && /^\d{1,12}$/.test(value.trim()) ? Number(value) : null;
