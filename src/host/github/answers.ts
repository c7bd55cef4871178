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
