// GitHub's REST API on loopback, held to what GitHub publishes: a request that it does not know fails the test, and so does an answer
// that it would not give. With pages, rate limits, a repository that moved, and faults that a test writes down.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { checkRoutes, findLog } from './github/checks.ts';
import { complete } from './github/complete.ts';
import { issueRoutes } from './github/issues.ts';
import { pullRoutes } from './github/pulls.ts';
import { answerProblems, type Matched, matchOperation, requestProblems } from './github/schema.ts';
import {
  type Answer,
  type FakeGithub,
  type FakeIssue,
  type Fault,
  ok,
  type Reply,
  type Routes,
  repositoryUrl,
} from './github/state.ts';

export { setState } from './github/issues.ts';
export { mergePull } from './github/pulls.ts';
export type { FakeCheck, FakeGithub, FakeIssue, FakePull, Fault } from './github/state.ts';

const ROUTES: Routes = {
  'GET /user': ({ fake }) => ok({ login: fake.login }),
  'GET /rate_limit': ({ fake: { rate } }) =>
    ok({ resources: {}, rate: { limit: 5_000, remaining: rate.left, reset: rate.reset, used: 0 } }),
  'GET /repos/{owner}/{repo}': ({ fake }) =>
    ok({ full_name: fake.name, url: repositoryUrl(fake), default_branch: 'main', ...fake.about }),
  ...issueRoutes,
  ...pullRoutes,
  ...checkRoutes,
};

/** The next request of any kind is answered so, without an effect. */
export const answer = (status: number, message: string, headers: Record<string, string> = {}): Fault =>
  fault((response) => void response.writeHead(status, headers).end(JSON.stringify({ message })));

export const fault = (send: Answer): Fault => ({ on: /./, isLate: false, answer: send });

/** The next request that `on` fits, such as /^POST .*comments$/. `isLate`: it has its effect, and only the answer is lost. */
export const onRequest = (on: RegExp, what: Fault, isLate = false): Fault => ({ ...what, on, isLate });

export const disconnect: Fault = fault((response) => void response.destroy());

export async function fakeGithub(issues: FakeIssue[] = []): Promise<FakeGithub> {
  const fake: FakeGithub = {
    api: '',
    name: 'octo/shelf',
    formerly: [],
    login: 'kim',
    token: 'a-token-of-nobody',
    pageSize: 100,
    rate: { left: 5_000, reset: 0 },
    issues,
    comments: [],
    events: [],
    pulls: [],
    checks: new Map(),
    statuses: new Map(),
    repository: null,
    namesParents: true,
    isHostile: false,
    about: {},
    faults: [],
    asked: [],
    violations: [],
  };
  const server = createServer((request, response) => {
    serve(fake, request, response).catch((error: unknown) => {
      fake.violations.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    expect(fake.violations, 'what differs from the published API of GitHub').toEqual([]);
  });
  fake.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`;
  return fake;
}

async function serve(fake: FakeGithub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', fake.api);
  const log = findLog(fake, url.pathname);
  if (log !== null) {
    if (request.headers.authorization !== undefined) fake.violations.push('The token went to another host.');
    response.end(log);
    return;
  }
  const asked = `${request.method} ${url.pathname}${url.search}`.replace('/api/v3', '');
  fake.asked.push(asked);
  const body = await readBody(request);
  const index = fake.faults.findIndex(({ on }) => on.test(asked));
  const [found] = index < 0 ? [] : fake.faults.splice(index, 1);
  if (found !== undefined && !found.isLate) return found.answer(response);
  const { status, value, headers = {} } = reply(fake, request, url, body);
  if (found !== undefined) return found.answer(response);
  fake.rate.left -= 1;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-ratelimit-remaining': String(Math.max(0, fake.rate.left)),
    'x-ratelimit-reset': String(fake.rate.reset),
    ...headers,
  });
  response.end(value === null ? undefined : JSON.stringify(value));
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? null : (JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown);
}

const refuse = (status: number, message: string, headers: Record<string, string> = {}): Reply => ({
  status,
  value: { message },
  headers,
});

function reply(fake: FakeGithub, { method = '', headers }: IncomingMessage, url: URL, body: unknown): Reply {
  if (fake.token !== null && headers.authorization !== `Bearer ${fake.token}`)
    return refuse(401, 'Bad credentials');
  if (fake.rate.left <= 0) return refuse(403, 'API rate limit exceeded for user ID 1.');
  const place = url.pathname.replace('/api/v3', '');
  const [, owner, repo, rest = ''] = /^\/(?:repos\/([^/]+)\/([^/]+)|repositories\/1)(.*)$/.exec(place) ?? [];
  const name = owner === undefined ? fake.name : `${owner}/${repo}`;
  if (fake.formerly.includes(name)) {
    const location = `${fake.api}/repositories/1${rest}${url.search}`;
    return refuse(method === 'GET' ? 301 : 307, 'Moved Permanently', { location });
  }
  if (name.toLowerCase() !== fake.name.toLowerCase()) return refuse(404, 'Not Found');
  // What a redirect leads to is not published; it stands for the repository.
  const path = place.replace(/^\/repositories\/1/, `/repos/${fake.name}`);
  const matched = matchOperation(method, path);
  const problems =
    matched === null
      ? [`GitHub has no ${method} ${path}, or npm run github-schema leaves it out`]
      : requestProblems(matched, Object.fromEntries(url.searchParams), body);
  fake.violations.push(...problems);
  if (matched === null || problems.length > 0) return refuse(422, problems.join('; '));
  return handle(fake, matched, url, body);
}

function handle(fake: FakeGithub, matched: Matched, url: URL, body: unknown): Reply {
  const call = {
    fake,
    path: matched.path,
    query: url.searchParams,
    body: (body ?? {}) as Record<string, unknown>,
  };
  const route = ROUTES[matched.name];
  if (route === undefined) throw new Error(`test/support/github.ts does not serve ${matched.name} yet.`);
  const given = route(call) ?? refuse(404, 'Not Found');
  const isList = Array.isArray(given.value) || hasCount(given.value);
  const paged = isList ? takePage(fake, url, given) : given;
  const schema = matched.operation.answers[paged.status];
  const value = schema && paged.value !== null ? complete(schema, paged.value) : paged.value;
  if (!fake.isHostile) fake.violations.push(...answerProblems(matched, paged.status, value));
  return { ...paged, value };
}

const hasCount = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'total_count' in value;

/** A list, or an object that holds one beside its `total_count`. */
function takePage(fake: FakeGithub, url: URL, given: Reply): Reply {
  const [key, items] = Object.entries({
    ...(Array.isArray(given.value) ? { '': given.value } : (given.value as object)),
  }).find(([, value]) => Array.isArray(value)) ?? ['', []];
  const page = Number(url.searchParams.get('page') ?? 1);
  const size = Math.min(Number(url.searchParams.get('per_page') ?? 30), fake.pageSize, 100);
  const shown = (items as unknown[]).slice((page - 1) * size, page * size);
  const value = key === '' ? shown : { ...(given.value as object), [key]: shown };
  if (page * size >= (items as unknown[]).length) return { ...given, value };
  const rest = /^\/api\/v3\/(?:repos\/[^/]+\/[^/]+|repositories\/1)(.*)$/.exec(url.pathname)?.[1];
  const next = new URL(`${fake.api}/repositories/1${rest}${url.search}`);
  next.searchParams.set('page', String(page + 1));
  const link = `<${fake.api}/repositories/1?page=1>; rel="first", <${next}>; rel="next"`;
  return { ...given, value, headers: { ...given.headers, link } };
}
