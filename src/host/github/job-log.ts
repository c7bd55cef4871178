// The log of a job of GitHub Actions. GitHub sends on to a store of files on another host, which gets no token.
import type { GithubInput } from './client.ts';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 64 * 1024 * 1024;
const KEPT_CHARACTERS = 64 * 1024;

/** The end of the log; empty if GitHub gives none. It is only an addition, so no failure matters. */
export async function readJobLog(
  { api, token }: Pick<GithubInput, 'api' | 'token'>,
  repository: string,
  job: number,
  send: typeof fetch = fetch,
): Promise<string> {
  try {
    const url = new URL(`${api.replace(/\/+$/, '')}/repos/${repository}/actions/jobs/${job}/logs`);
    const headers = {
      accept: 'application/vnd.github+json',
      'user-agent': 'ralph',
      ...(token !== null && { authorization: `Bearer ${token.value}` }),
    };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const first = await send(url, { headers, redirect: 'manual', signal });
    const target = first.headers.get('location');
    if (first.status === 200) return await readEnd(first);
    if (target === null || !URL.canParse(target, url)) return '';
    const place = new URL(target, url);
    // As safe a way as that to the API itself.
    if (place.protocol !== url.protocol && place.protocol !== 'https:') return '';
    const second = await send(place, { headers: { 'user-agent': 'ralph' }, redirect: 'error', signal });
    return second.status === 200 ? await readEnd(second) : '';
  } catch {
    return '';
  }
}

async function readEnd(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [kept, size] = ['', 0];
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_BYTES) break;
    kept = (kept + decoder.decode(chunk, { stream: true })).slice(-KEPT_CHARACTERS);
  }
  return withoutTimes(kept);
}

/** Every line begins with the time, and colours are of no use. */
const withoutTimes = (log: string): string =>
  log
    .replace(/^\uFEFF/, '')
    .replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '')
    .replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '');
