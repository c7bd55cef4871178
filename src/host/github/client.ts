// Asks GitHub's REST API, one request after the other. No redirect and no link to a next page leads to another host: the token
// goes only to the host that it is for.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { Refusal } from '../../domain/refusal.ts';
import { wallTime } from '../../domain/text/amounts.ts';
import { truncate } from '../../domain/text/text.ts';
import { limitEnd } from './rate-limit.ts';
import { type GithubToken, githubHost } from './token.ts';

export type GithubInput = {
  /** Such as https://api.github.com. */
  api: string;
  token: GithubToken | null;
  /** Whether to wait for a rate limit as long as it takes. */
  isPatient: boolean;
  tell(sentence: string): void;
};

/** `value` is null where there is nothing: 404, 410. */
export type GithubAnswer = { value: unknown; next: string | null };

export type Github = {
  host: string;
  hasToken: boolean;
  get(path: string): Promise<GithubAnswer>;
  /** All pages of a list; null where there is nothing. */
  list(path: string): Promise<unknown[] | null>;
};

type Outside = { fetch: typeof fetch; sleep(ms: number): Promise<unknown>; now(): number };

const TIMEOUT_MS = 30_000;
const RETRY_AFTER_MS = [1_000, 3_000, 9_000];
/** A page of 100 issues with bodies of full length takes less. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const MAX_ALL_BYTES = 256 * 1024 * 1024;
const MAX_PAGES = 1_000;
const MAX_REDIRECTS = 3;
/** A secondary limit ends after a minute or two; an hourly one is for `--wait`. */
const MAX_WAIT_MS = 2 * 60_000;
const MAX_PATIENT_WAIT_MS = 24 * 60 * 60_000;

export function openGithub(
  { api, token, isPatient, tell }: GithubInput,
  { fetch: send, sleep, now }: Outside = { fetch, sleep: sleepFor, now: Date.now },
): Github {
  const base = api.replace(/\/+$/, '');
  const host = githubHost(api);
  let bytes = 0;
  let waitedMs = 0;

  const ask = async (url: URL): Promise<{ response: Response; text: string }> => {
    const response = await send(url, {
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'ralph',
        'x-github-api-version': '2022-11-28',
        ...(token !== null && { authorization: `Bearer ${token.value}` }),
      },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    const text = await readBounded(response, Math.min(MAX_ANSWER_BYTES, MAX_ALL_BYTES - bytes));
    bytes += text.length;
    // No server may put the token into an error message or an issue.
    return { response, text: token === null ? text : text.replaceAll(token.value, '***') };
  };

  const waitUntil = async (end: number): Promise<void> => {
    const ms = end - now();
    const when = wallTime(end);
    if (waitedMs + ms > (isPatient ? MAX_PATIENT_WAIT_MS : MAX_WAIT_MS))
      throw new Refusal(
        token === null
          ? `${host} answers no more requests without a token until ${when}; set GH_TOKEN or run gh auth login, and import again.`
          : `The rate limit of ${host} is used up until ${when}; import again then, or wait for it with --wait.`,
      );
    waitedMs += ms;
    tell(`The rate limit of ${host} is used up; Ralph waits until ${when}.`);
    await sleep(ms);
  };

  const get = async (path: string): Promise<GithubAnswer> => {
    let url = new URL(/^https?:/.test(path) ? path : `${base}${path}`);
    const origin = new URL(base).origin;
    let [failures, limits, redirects] = [0, 0, 0];
    for (;;) {
      if (url.origin !== origin)
        throw new Refusal(
          `${host} sends Ralph on to ${url.origin}; Ralph sends your token to no other host.`,
        );
      const answer = await ask(url).catch((error: unknown) => failureReason(error));
      const status = typeof answer === 'string' ? 0 : answer.response.status;
      if (typeof answer === 'string' || status >= 500) {
        const pauseMs = RETRY_AFTER_MS[failures++];
        const reason = typeof answer === 'string' ? answer : `it answers ${status}`;
        if (pauseMs === undefined)
          throw new Refusal(`${host} cannot be reached (${reason}); nothing was imported, try again later.`);
        await sleep(pauseMs);
        continue;
      }
      const { response, text } = answer;
      const { headers } = response;
      const message = status >= 400 ? readMessage(text) : '';
      const end = limitEnd({ status, headers, message }, now(), limits);
      const target = status >= 300 && status < 400 ? headers.get('location') : null;
      if (end !== null) {
        limits += 1;
        await waitUntil(end);
      } else if (target !== null && URL.canParse(target, url)) {
        if (++redirects > MAX_REDIRECTS) throw new Refusal(`${host} sends Ralph in circles at ${path}.`);
        url = new URL(target, url);
      } else if (status === 404 || status === 410) return { value: null, next: null };
      else if (status !== 200) throw refusal(status, message);
      else return { value: parseAnswer(text), next: nextPage(headers.get('link')) };
    }
  };

  const refusal = (status: number, message: string): Refusal => {
    const said = message === '' ? '' : ` (${message})`;
    if (status === 401 && token !== null)
      return new Refusal(`${host} does not accept the token of ${token.from}; renew it, then import again.`);
    if (status === 401)
      return new Refusal(`${host} wants a token; set GH_TOKEN or run gh auth login, and import again.`);
    if (status === 403)
      return new Refusal(`${host} refuses this${said}; give the token the right to read issues.`);
    return new Refusal(`${host} answers ${status}${said}; nothing was imported.`);
  };

  const parseAnswer = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new Refusal(`${host} does not answer with JSON; check github.api in .ralph/config.yaml.`, {
        cause: error,
      });
    }
  };

  return {
    host,
    hasToken: token !== null,
    get,
    list: async (path) => {
      const items: unknown[] = [];
      let next: string | null = path;
      for (let page = 0; next !== null; page++) {
        if (page === MAX_PAGES)
          throw new Refusal(`${host} has more than ${MAX_PAGES} pages; choose issues with --label.`);
        const answer: GithubAnswer = await get(next);
        if (answer.value === null) return null;
        if (!Array.isArray(answer.value)) throw new Refusal(`${host} does not answer with a list.`);
        for (const item of answer.value) items.push(item);
        next = answer.next;
      }
      return items;
    },
  };
}

async function readBounded(response: Response, maxBytes: number): Promise<string> {
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

/** GitHub explains an error in `{"message": "..."}`. */
function readMessage(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const message = typeof value === 'object' && value !== null && 'message' in value ? value.message : '';
    return typeof message === 'string' ? truncate(message.replace(/\s+/g, ' ').trim(), 200) : '';
  } catch {
    return '';
  }
}

/** From `<https://...?page=2>; rel="next", <...>; rel="last"`. */
const nextPage = (link: string | null): string | null =>
  /<([^<>]+)>\s*;[^,<]*\brel="?next"?/i.exec(link ?? '')?.[1] ?? null;

/** Not for a refusal, which no second try would change. */
function failureReason(error: unknown): string {
  if (error instanceof Refusal) throw error;
  if (!(error instanceof Error)) return 'it failed';
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1_000} s`;
  // fetch reports "fetch failed" and hides the reason in the cause.
  return error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.message;
}
