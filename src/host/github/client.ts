// Asks GitHub's REST API, one request after the other. No redirect and no link to a next page leads to another host: the token
// goes only to the host that it is for.
import { setTimeout as sleepFor } from 'node:timers/promises';
import { Refusal } from '../../domain/refusal.ts';
import { wallTime } from '../../domain/text/amounts.ts';
import { failureReason, isRecord, limitEnd, nextPage, readBounded, readMessage } from './answers.ts';
import { type GithubToken, githubHost } from './token.ts';

export type GithubInput = {
  /** Such as https://api.github.com. */
  api: string;
  token: GithubToken | null;
  /** Whether to wait for a rate limit as long as it takes. */
  isPatient: boolean;
  /** Whether to wait for nothing at all: the caller tries again later. */
  isHasty?: boolean;
  /** What a person can do about a rate limit besides trying again, such as ", or wait for it with --wait". */
  limitAdvice?: string;
  tell(sentence: string): void;
};

/** `value` is null where there is nothing: 204, 404, 410. */
type GithubAnswer = { status: number; value: unknown; next: string | null };

type WriteMethod = 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export type Github = {
  host: string;
  hasToken: boolean;
  get(path: string): Promise<GithubAnswer>;
  /** All pages of a list, or of the list that an object holds as `key`; null where there is nothing. */
  list(path: string, key?: string): Promise<unknown[] | null>;
  /**
   * Repeats no POST: one without an answer may have had its effect, so look before you send it again. The others say what shall be,
   * and are repeated like a GET.
   */
  send(method: WriteMethod, path: string, body?: object): Promise<GithubAnswer>;
};

/** `status`: what GitHub answered; 0 without an answer. `retryAt`: when the rate limit ends. */
export class GithubRefusal extends Refusal {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAt: number | null = null,
  ) {
    super(message);
  }

  /** GitHub takes nothing at all now. */
  get isOut(): boolean {
    const { status, retryAt } = this;
    return status === 0 || status === 401 || status >= 500 || retryAt !== null;
  }
}

export type Outside = { fetch: typeof fetch; sleep(ms: number): Promise<unknown>; now(): number };

type Request = { method: 'GET' | WriteMethod; body: object | undefined };

const GET: Request = { method: 'GET', body: undefined };

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
  { api, token, isPatient, isHasty = false, limitAdvice = '', tell }: GithubInput,
  { fetch: send, sleep, now }: Outside = { fetch, sleep: sleepFor, now: Date.now },
): Github {
  const base = api.replace(/\/+$/, '');
  const host = githubHost(api);
  let bytes = 0;
  let waitedMs = 0;

  const ask = async (url: URL, { method, body }: Request): Promise<{ response: Response; text: string }> => {
    const response = await send(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        'user-agent': 'ralph',
        'x-github-api-version': '2022-11-28',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token !== null && { authorization: `Bearer ${token.value}` }),
      },
      ...(body !== undefined && { body: withoutToken(JSON.stringify(body)) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: 'manual',
    });
    const text = await readBounded(response, Math.min(MAX_ANSWER_BYTES, MAX_ALL_BYTES - bytes));
    bytes += text.length;
    // No server may put the token into an error message or an issue.
    return { response, text: withoutToken(text) };
  };

  const withoutToken = (text: string): string =>
    token === null ? text : text.replaceAll(token.value, '***');

  const waitUntil = async (end: number, status: number): Promise<void> => {
    const ms = end - now();
    const when = wallTime(end);
    if (isHasty || waitedMs + ms > (isPatient ? MAX_PATIENT_WAIT_MS : MAX_WAIT_MS))
      throw new GithubRefusal(
        token === null
          ? `${host} answers no more requests without a token until ${when}; set GH_TOKEN or run gh auth login, and try again.`
          : `The rate limit of ${host} is used up until ${when}; try again then${limitAdvice}.`,
        status,
        end,
      );
    waitedMs += ms;
    tell(`The rate limit of ${host} is used up; Ralph waits until ${when}.`);
    await sleep(ms);
  };

  const request = async (path: string, what: Request): Promise<GithubAnswer> => {
    let url = new URL(/^https?:/.test(path) ? path : `${base}${path}`);
    const origin = new URL(base).origin;
    let [failures, limits, redirects] = [0, 0, 0];
    for (;;) {
      if (url.origin !== origin)
        throw new Refusal(
          `${host} sends Ralph on to ${url.origin}; Ralph sends your token to no other host.`,
        );
      const answer = await ask(url, what).catch((error: unknown) => failureReason(error));
      const status = typeof answer === 'string' ? 0 : answer.response.status;
      if (typeof answer === 'string' || status >= 500) {
        const pauseMs = isHasty || what.method === 'POST' ? undefined : RETRY_AFTER_MS[failures++];
        const reason = typeof answer === 'string' ? answer : `it answers ${status}`;
        if (pauseMs === undefined)
          throw new GithubRefusal(`${host} cannot be reached (${reason}); try again later.`, status);
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
        await waitUntil(end, status);
      } else if (target !== null && URL.canParse(target, url)) {
        // GitHub wants the same method at the new place.
        if (++redirects > MAX_REDIRECTS)
          throw new Refusal(
            `${host} sends Ralph in circles at ${path}; check github.api in .ralph/config.yaml.`,
          );
        url = new URL(target, url);
      } else if ([204, 404, 410].includes(status)) return { status, value: null, next: null };
      else if (status < 200 || status >= 300) throw refusal(status, message, what);
      else return { status, value: parseAnswer(text), next: nextPage(headers.get('link')) };
    }
  };

  const refusal = (status: number, message: string, { method }: Request): GithubRefusal => {
    const detail = message === '' ? '' : ` (${message})`;
    if (status === 401)
      return new GithubRefusal(
        token === null
          ? `${host} wants a token; set GH_TOKEN or run gh auth login, and try again.`
          : `${host} does not accept the token of ${token.from}; renew it, then try again.`,
        status,
      );
    if (status === 403)
      return new GithubRefusal(
        `${host} refuses this${detail}; give the token the right to ${method === 'GET' ? 'read' : 'write'} it.`,
        status,
      );
    return new GithubRefusal(`${host} answers ${status}${detail}.`, status);
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
    get: (path) => request(path, GET),
    send: (method, path, body) => request(path, { method, body }),
    list: async (path, key) => {
      const items: unknown[] = [];
      let next: string | null = path;
      for (let page = 0; next !== null; page++) {
        if (page === MAX_PAGES)
          throw new Refusal(`${host} has more than ${MAX_PAGES} pages; choose issues with --label.`);
        const answer: GithubAnswer = await request(next, GET);
        if (answer.value === null) return null;
        const { value } = answer;
        const found = key === undefined ? value : isRecord(value) ? value[key] : null;
        if (!Array.isArray(found))
          throw new Refusal(`${host} does not answer with a list; check github.api in .ralph/config.yaml.`);
        for (const item of found) items.push(item);
        next = answer.next;
      }
      return items;
    },
  };
}
