import {
  type Call,
  type FakeComment,
  type FakeGithub,
  type FakeIssue,
  type FakePull,
  invalid,
  ok,
  pageUrl,
  type Reply,
  type Routes,
  repositoryUrl,
  timestamp,
} from './state.ts';

const ISSUE = '/repos/{owner}/{repo}/issues/{issue_number}';
const MAX_COMMENT = 65_536;

export const issueRoutes: Routes = {
  'GET /repos/{owner}/{repo}/issues': ({ fake, query }) => {
    const [label, state] = [query.get('labels'), query.get('state') ?? 'open'];
    return ok(
      allIssues(fake)
        .filter((issue) => state === 'all' || (issue.state ?? 'open') === state)
        .filter(({ labels }) => label === null || labels?.includes(label))
        .map((issue) => toJson(fake, issue)),
    );
  },
  [`GET ${ISSUE}`]: (call) => withIssue(call, (issue) => ok(toJson(call.fake, issue))),
  [`PATCH ${ISSUE}`]: (call) =>
    withIssue(call, (issue) => {
      const { labels, state, state_reason = null, title, body } = call.body;
      Object.assign(issue, {
        ...(typeof title === 'string' && { title }),
        ...(typeof body === 'string' && { body }),
        ...(Array.isArray(labels) && { labels }),
      });
      if (state === 'open' || state === 'closed') setState(call.fake, issue, state, state_reason);
      return ok(toJson(call.fake, issue));
    }),
  [`GET ${ISSUE}/events`]: ({ fake, path }) =>
    ok(
      fake.events
        .filter(({ issue }) => String(issue) === path['issue_number'])
        .map(({ event, created }) => ({ event, created_at: created })),
    ),
  [`GET ${ISSUE}/comments`]: (call) =>
    withIssue(call, ({ number }) =>
      ok(
        call.fake.comments
          .filter(({ issue }) => issue === number)
          .filter(({ created }) => created >= (call.query.get('since') ?? ''))
          .map((one) => commentJson(call.fake, one)),
      ),
    ),
  [`POST ${ISSUE}/comments`]: (call) =>
    withIssue(call, (issue) => {
      const { fake, body } = call;
      if (issue['locked'] === true)
        return { status: 403, value: { message: 'Unable to create comment because issue is locked.' } };
      if (String(body['body']).length > MAX_COMMENT)
        return invalid('body is too long (maximum is 65536 characters)');
      const id = Math.max(0, ...fake.comments.map((one) => one.id)) + 1;
      const comment = {
        id,
        issue: issue.number,
        body: String(body['body']),
        login: fake.login,
        created: timestamp(),
      };
      fake.comments.push(comment);
      return { status: 201, value: commentJson(fake, comment) };
    }),
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': ({ fake, path, body }) => {
    const comment = fake.comments.find(({ id }) => String(id) === path['comment_id']);
    if (comment === undefined) return null;
    comment.body = String(body['body']);
    return ok(commentJson(fake, comment));
  },
  [`POST ${ISSUE}/labels`]: (call) =>
    withIssue(call, (issue) => {
      const added = (call.body['labels'] ?? []) as string[];
      issue.labels = [...new Set([...(issue.labels ?? []), ...added])];
      return ok(issue.labels.map(labelJson));
    }),
  [`GET ${ISSUE}/sub_issues`]: (call) =>
    withIssue(call, ({ number }) => ok(issuesWhere(call.fake, ({ parent }) => parent === number))),
  [`GET ${ISSUE}/dependencies/blocked_by`]: (call) =>
    withIssue(call, ({ blockedBy }) =>
      ok(issuesWhere(call.fake, ({ number }) => blockedBy?.includes(number))),
    ),
  'GET /repos/{owner}/{repo}/labels': ({ fake }) =>
    ok([...new Set(fake.issues.flatMap(({ labels }) => labels ?? []))].map(labelJson)),
};

/** As a person or a program does. Nothing happens where it is so already. */
export function setState(
  fake: FakeGithub,
  issue: FakeIssue,
  state: 'open' | 'closed',
  reason: unknown = null,
): void {
  if ((issue.state ?? 'open') === state) return;
  const isClosed = state === 'closed';
  const created = timestamp();
  Object.assign(issue, {
    state,
    state_reason: isClosed ? (reason ?? 'completed') : 'reopened',
    closed_at: isClosed ? created : null,
  });
  fake.events.push({ issue: issue.number, event: isClosed ? 'closed' : 'reopened', created });
}

const issuesWhere = (fake: FakeGithub, test: (issue: FakeIssue) => boolean | undefined): object[] =>
  fake.issues.filter(test).map((issue) => toJson(fake, issue));

const allIssues = (fake: FakeGithub): FakeIssue[] => [
  ...fake.issues,
  ...fake.pulls.map((pull) => pullAsIssue(fake, pull)),
];

/** A pull request is an issue as well: it has comments and labels. */
const pullAsIssue = (fake: FakeGithub, { number, title, body, state }: FakePull): FakeIssue => ({
  number,
  title,
  body,
  state,
  pull_request: { url: `${repositoryUrl(fake)}/pulls/${number}` },
});

function withIssue({ fake, path }: Call, reply: (issue: FakeIssue) => Reply): Reply | null {
  const issue = allIssues(fake).find(({ number }) => String(number) === path['issue_number']);
  return issue === undefined ? null : reply(issue);
}

const commentJson = (fake: FakeGithub, { id, issue, body, login, created }: FakeComment): object => ({
  id,
  body,
  created_at: created,
  user: { login },
  author_association: login === fake.login ? 'OWNER' : 'NONE',
  url: `${repositoryUrl(fake)}/issues/comments/${id}`,
  html_url: `${pageUrl(fake)}/issues/${issue}#issuecomment-${id}`,
  issue_url: `${repositoryUrl(fake)}/issues/${issue}`,
});

const labelJson = (name: string): object => ({ name, color: 'ededed' });

function toJson(fake: FakeGithub, { labels = [], parent, blockedBy = [], ...issue }: FakeIssue): object {
  const repository = repositoryUrl(fake);
  const parts = fake.issues.filter((one) => one.parent === issue.number).length;
  return {
    id: issue.number + 1_000,
    url: `${repository}/issues/${issue.number}`,
    html_url: `${pageUrl(fake)}/issues/${issue.number}`,
    repository_url: repository,
    body: null,
    state: 'open',
    state_reason: null,
    user: { login: 'kim' },
    labels: labels?.map(labelJson),
    assignees: [],
    comments: fake.comments.filter((comment) => comment.issue === issue.number).length,
    sub_issues_summary: { total: parts, completed: 0, percent_completed: 0 },
    issue_dependencies_summary: {
      blocked_by: blockedBy.length,
      total_blocked_by: blockedBy.length,
      blocking: 0,
      total_blocking: 0,
    },
    ...(fake.namesParents && parent !== undefined && { parent_issue_url: `${repository}/issues/${parent}` }),
    ...issue,
  };
}
