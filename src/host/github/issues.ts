// Reads the issues of a repository, and how they depend on each other.
import { Refusal } from '../../domain/refusal.ts';
import { type GithubRecord, isRecord } from './answers.ts';
import type { Github } from './client.ts';

/** `name` is the present one, as GitHub spells it. `url`: where the API has it. */
export type GithubRepository = { name: string; url: string };

type GithubIssues = {
  repository: GithubRepository;
  issues: readonly GithubRecord[];
  /** By the number of an issue: the issues that block it. */
  blockers: ReadonlyMap<number, readonly GithubRecord[]>;
  /** By the number of an issue: its sub-issues. */
  parts: ReadonlyMap<number, readonly GithubRecord[]>;
};

const PAGE = 'per_page=100';

/** Follows a repository that has moved. Null if there is none that this person may read. */
export async function findRepository(github: Github, name: string): Promise<GithubRepository | null> {
  const { value } = await github.get(`/repos/${name}`);
  if (!isRecord(value)) return null;
  const { full_name, url } = value;
  return typeof full_name === 'string' && typeof url === 'string' ? { name: full_name, url } : null;
}

/** All open issues with the label, and those of `followed`, whatever their state and labels are. Pull requests are among them. */
export async function fetchIssues(
  github: Github,
  repository: GithubRepository,
  { label, followed }: { label: string | null; followed: readonly number[] },
): Promise<GithubIssues> {
  const place = `/repos/${repository.name}/issues`;
  const labels = label === null ? '' : `&labels=${encodeURIComponent(label)}`;
  // The oldest first: an issue that is added meanwhile moves no other one to another page.
  const listed = await github.list(`${place}?state=open&sort=created&direction=asc&${PAGE}${labels}`);
  if (listed === null) throw new Refusal(`${repository.name} has no issues: they are turned off there.`);
  const issues = new Map(listed.filter(isRecord).map((issue) => [issue['number'], issue]));
  for (const number of followed) {
    if (issues.has(number)) continue;
    const { value } = await github.get(`${place}/${number}`);
    // An issue that was transferred is answered with the one in the other repository.
    if (isRecord(value) && value['number'] === number && value['repository_url'] === repository.url)
      issues.set(number, value);
  }
  const own = [...issues.values()].filter((issue) => !isPullRequest(issue));
  const links = async (path: string, has: (issue: GithubRecord) => boolean) => {
    const found = new Map<number, GithubRecord[]>();
    for (const issue of own) {
      const { number } = issue;
      if (typeof number !== 'number' || !has(issue)) continue;
      const others = await github.list(`${place}/${number}/${path}?${PAGE}`);
      found.set(number, (others ?? []).filter(isRecord));
    }
    return found;
  };
  const named = countParents(own);
  return {
    repository,
    issues: [...issues.values()],
    blockers: await links(
      'dependencies/blocked_by',
      (issue) => countIn(issue, 'issue_dependencies_summary', 'total_blocked_by') > 0,
    ),
    // Most servers name the parent in the issue itself. Only those that do not are asked for the parts.
    parts: await links(
      'sub_issues',
      (issue) => countIn(issue, 'sub_issues_summary', 'total') > (named.get(issue['url']) ?? 0),
    ),
  };
}

const isPullRequest = (issue: GithubRecord): boolean => isRecord(issue['pull_request']);

function countParents(issues: readonly GithubRecord[]): Map<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const { parent_issue_url: url } of issues) if (url) counts.set(url, (counts.get(url) ?? 0) + 1);
  return counts;
}

/** 0 for a server that knows no such links. */
function countIn(issue: GithubRecord, summary: string, key: string): number {
  const counts = issue[summary];
  const count = isRecord(counts) ? counts[key] : 0;
  return typeof count === 'number' ? count : 0;
}
