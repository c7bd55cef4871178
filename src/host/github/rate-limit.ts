/** How long GitHub asks to wait at least where it does not say how long. */
const SECONDARY_MS = 60_000;

export type RefusedAnswer = { status: number; headers: Headers; message: string };

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
