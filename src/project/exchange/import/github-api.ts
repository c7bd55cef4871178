// Brings issues as GitHub's REST API has them into the form that gh prints, and takes over the links between them.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { MAX_TEXT, plural } from '../../../domain/text/text.ts';
import { type GithubSource, readGithub } from './github.ts';
import type { Json } from './json.ts';
import { isRecord } from './source-record.ts';

/** What `host/github/issues.ts` reads. */
type ApiIssues = {
  /** `url`: where the API has the repository. */
  repository: { name: string; url: string };
  issues: readonly Json[];
  blockers: ReadonlyMap<number, readonly Json[]>;
  parts: ReadonlyMap<number, readonly Json[]>;
};

/**
 * `known`: numbers of earlier imports. `isWhole`: these are all open issues, so any other one is closed and blocks nothing.
 */
export function readApiIssues(
  { repository, issues, blockers, parts }: ApiIssues,
  { board, known, isWhole }: { board: string; known: ReadonlySet<string>; isWhole: boolean },
): Backlog {
  const problems: string[] = [];
  const own = issues.filter((issue) => !isRecord(issue['pull_request']) && isIssue(issue));
  const numbers = new Set([...known, ...own.map(({ number }) => String(number))]);
  const parents = parentsByPart(parts, repository.url);
  const converted = own.map((issue) => {
    const number = Number(issue['number']);
    const parent = parentNumber(issue, repository.url, problems) ?? parents.get(number) ?? null;
    return {
      ...convert(issue, problems),
      ...(parent !== null && (numbers.has(String(parent)) || !isWhole) && { parent: { number: parent } }),
      blockedBy: ownBlockers(number, blockers.get(number) ?? [], repository.url, problems)
        // GitHub keeps a closed one in the list, although nothing waits for it.
        .filter((other) => numbers.has(String(other['number'])) || other['state'] === 'open')
        .map((other) => Number(other['number'])),
    };
  });
  const from: GithubSource = {
    board,
    isLink: (number) => !isWhole || numbers.has(number),
    problems: [...problems, ...leftOut(issues, own)],
  };
  return readGithub(converted, from);
}

const isIssue = ({ number, title }: Json): boolean =>
  typeof number === 'number' && Number.isSafeInteger(number) && number > 0 && typeof title === 'string';

function convert(issue: Json, problems: string[]): Json {
  const { number, title, state, state_reason, html_url, created_at, updated_at, closed_at } = issue;
  const { body, labels, assignees, user, milestone, type } = issue;
  const isLong = typeof body === 'string' && body.length > MAX_TEXT;
  if (isLong) problems.push(`#${number} has more than ${MAX_TEXT} characters; the rest of it was left out.`);
  const logins = asList(assignees).map((one) => textIn(one, 'login'));
  return {
    ...{ number, title, state, stateReason: state_reason, url: html_url },
    ...{ createdAt: created_at, updatedAt: updated_at, closedAt: closed_at },
    body: isLong ? body.slice(0, MAX_TEXT) : body,
    // The kind of an issue, such as Bug, is a tag like a label. A label may be a plain text.
    labels: [type, ...asList(labels)]
      .map((label) => (typeof label === 'string' ? label : textIn(label, 'name')))
      .flatMap((name) => (name === null ? [] : [{ name }])),
    assignees: logins.filter((login) => login !== null).join(', '),
    author: { login: textIn(user, 'login') },
    milestone: { title: textIn(milestone, 'title'), description: textIn(milestone, 'description') },
  };
}

/** Blockers in this repository; each of the others is a problem. */
function ownBlockers(number: number, others: readonly Json[], url: string, problems: string[]): Json[] {
  return others.filter((other) => {
    if (other['repository_url'] === undefined || other['repository_url'] === url) return true;
    if (other['state'] === 'open')
      problems.push(
        `#${number} is blocked by ${other['html_url']}, in another repository; that link was left out.`,
      );
    return false;
  });
}

function parentNumber(issue: Json, url: string, problems: string[]): number | null {
  const { parent_issue_url: parent } = issue;
  if (typeof parent !== 'string') return null;
  const place = `${url}/issues/`;
  const number = parent.startsWith(place) ? Number(parent.slice(place.length)) : Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  problems.push(`#${issue['number']} is part of ${parent}, in another repository; that link was left out.`);
  return null;
}

const parentsByPart = (parts: ApiIssues['parts'], url: string): Map<number, number> =>
  new Map(
    [...parts].flatMap(([parent, all]) =>
      all
        .filter((part) => part['repository_url'] === undefined || part['repository_url'] === url)
        .map((part) => [Number(part['number']), parent] as const),
    ),
  );

/** One sentence: a second import leaves out the same. */
function leftOut(issues: readonly Json[], own: readonly Json[]): string[] {
  const requests = issues.filter((issue) => isRecord(issue['pull_request'])).length;
  const comments = own.reduce((sum, { comments: count }) => sum + (typeof count === 'number' ? count : 0), 0);
  const broken = issues.length - requests - own.length;
  const parts = [
    ...(requests > 0 ? [plural(requests, 'pull request')] : []),
    ...(comments > 0 ? [`${plural(comments, 'comment')} on issues`] : []),
    ...(broken > 0 ? [`${plural(broken, 'issue')} without a number or a title`] : []),
  ];
  return parts.length === 0 ? [] : [`Left out: ${parts.join(', ')}.`];
}

const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function textIn(value: unknown, key: string): string | null {
  const text = isRecord(value) ? value[key] : null;
  return typeof text === 'string' ? text : null;
}
