// A server on loopback that speaks the part of GitHub's REST API that Ralph uses, with pages, limits and faults.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type FakeIssue = {
  number: number;
  title: string;
  body?: string | null;
  state?: 'open' | 'closed';
  state_reason?: string;
  labels?: readonly string[] | null;
  parent?: number;
  blockedBy?: readonly number[];
  [more: string]: unknown;
};

type Fault = (response: ServerResponse) => void;

export type FakeGithub = {
  /** The base URL, as a GitHub Enterprise Server has it. */
  api: string;
  /** The present name of the repository; others in `formerly` lead to it. */
  name: string;
  formerly: string[];
  issues: FakeIssue[];
  /** What it accepts; null for everybody. */
  token: string | null;
  pageSize: number;
  /** Whether an issue names its parent, as newer servers do. */
  namesParents: boolean;
  /** Answers to give first, each once. */
  faults: Fault[];
  /** Paths that were asked for. */
  asked: string[];
};

export const answer =
  (status: number, message: string, headers: Record<string, string> = {}): Fault =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify({ message }));

export async function fakeGithub(issues: FakeIssue[] = []): Promise<FakeGithub> {
  const fake: FakeGithub = {
    api: '',
    name: 'octo/shelf',
    formerly: [],
    issues,
    token: 'a-token-of-nobody',
    pageSize: 100,
    namesParents: true,
    faults: [],
    asked: [],
  };
  const server = createServer((request, response) => chooseAnswer(fake, request)(response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  fake.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v3`;
  return fake;
}

function chooseAnswer(fake: FakeGithub, request: IncomingMessage): Fault {
  const url = new URL(request.url ?? '', fake.api);
  fake.asked.push(`${url.pathname}${url.search}`.replace('/api/v3', ''));
  const fault = fake.faults.shift();
  if (fault !== undefined) return fault;
  if (fake.token !== null && request.headers.authorization !== `Bearer ${fake.token}`)
    return answer(401, 'Bad credentials');
  const [, owner, repo, rest = ''] =
    /^\/api\/v3\/(?:repos\/([^/]+)\/([^/]+)|repositories\/1)(.*)$/.exec(url.pathname) ?? [];
  const name = owner === undefined ? fake.name : `${owner}/${repo}`;
  const place = `${fake.api}/repositories/1${rest}${url.search}`;
  if (fake.formerly.includes(name)) return answer(301, 'Moved Permanently', { location: place });
  if (name.toLowerCase() !== fake.name.toLowerCase()) return answer(404, 'Not Found');
  const value = find(fake, rest, url.searchParams);
  if (value === null) return answer(404, 'Not Found');
  if (!Array.isArray(value)) return (response) => void response.end(JSON.stringify(value));
  const page = Number(url.searchParams.get('page') ?? 1);
  const next = new URL(place);
  next.searchParams.set('page', String(page + 1));
  const link = `<${fake.api}/x?page=1>; rel="first", <${next}>; rel="next"`;
  const shown = value.slice((page - 1) * fake.pageSize, page * fake.pageSize);
  return (response) =>
    void response
      .writeHead(200, page * fake.pageSize < value.length ? { link } : {})
      .end(JSON.stringify(shown));
}

function find(fake: FakeGithub, rest: string, query: URLSearchParams): unknown {
  const shown = (issue: FakeIssue): object => toJson(fake, issue);
  const [number, path] = (/^\/issues\/(\d+)(?:\/(.*))?$/.exec(rest) ?? []).slice(1);
  if (rest === '') return { full_name: fake.name, url: `${fake.api}/repos/${fake.name}` };
  const issue = fake.issues.find((one) => String(one.number) === number);
  if (rest === '/issues') {
    const label = query.get('labels');
    return fake.issues
      .filter(({ state = 'open' }) => state === 'open')
      .filter(({ labels = [] }) => label === null || labels?.includes(label))
      .map(shown);
  }
  if (issue === undefined) return null;
  if (path === 'dependencies/blocked_by')
    return fake.issues.filter((one) => issue.blockedBy?.includes(one.number)).map(shown);
  if (path === 'sub_issues') return fake.issues.filter(({ parent }) => parent === issue.number).map(shown);
  return path === undefined ? shown(issue) : null;
}

function toJson(fake: FakeGithub, { labels = [], parent, blockedBy = [], ...issue }: FakeIssue): object {
  const repository = `${fake.api}/repos/${fake.name}`;
  const parts = fake.issues.filter((one) => one.parent === issue.number).length;
  return {
    id: issue.number + 1_000,
    url: `${repository}/issues/${issue.number}`,
    html_url: `https://github.example/${fake.name}/issues/${issue.number}`,
    repository_url: repository,
    body: null,
    state: 'open',
    state_reason: null,
    user: { login: 'kim' },
    labels: labels?.map((name) => ({ name, color: 'ededed' })),
    assignees: [],
    milestone: null,
    comments: 0,
    created_at: '2026-01-05T10:00:00Z',
    updated_at: '2026-01-06T10:00:00Z',
    closed_at: null,
    reactions: { total_count: 0 },
    sub_issues_summary: { total: parts, completed: 0, percent_completed: 0 },
    issue_dependencies_summary: { blocked_by: blockedBy.length, total_blocked_by: blockedBy.length },
    ...(fake.namesParents && parent !== undefined && { parent_issue_url: `${repository}/issues/${parent}` }),
    ...issue,
  };
}
