// Comments on an issue once, and closes it. Killed at any point and called again, it goes on where it was.
import { type GithubRecord, isRecord } from './answers.ts';
import type { Github } from './client.ts';

type IssueUpdate = {
  /** OWNER/REPO; it may have moved. */
  repository: string;
  number: number;
  body: string;
  /** Stands in the comment, and in no other. */
  marker: string;
  /** When Ralph knew what to say: no comment with the marker is older. */
  since: number;
  closes: boolean;
};

const DAY_MS = 24 * 3_600_000;
const PAGE = 'per_page=100';

/** False if there is no such issue any more. */
export async function updateIssue(
  github: Github,
  { repository, number, body, marker, since, closes }: IssueUpdate,
): Promise<boolean> {
  const place = `/repos/${repository}/issues/${number}`;
  const { value: issue } = await github.get(place);
  // The merge closes a pull request.
  if (!isRecord(issue) || isRecord(issue['pull_request'])) return false;
  // The clocks of this machine and of GitHub may differ by less than a day.
  const from = new Date(since - DAY_MS).toISOString().replace(/\.\d+/, '');
  const comments = await github.list(`${place}/comments?since=${from}&${PAGE}`);
  const earlier = comments?.filter(isRecord).find((comment) => textIn(comment, 'body').includes(marker));
  if (earlier === undefined) {
    const { value } = await github.send('POST', `${place}/comments`, { body: `${body}\n\n${marker}` });
    if (value === null) return false;
  }
  if (!closes || issue['state'] !== 'open') return true;
  if (earlier !== undefined && (await wasDecidedSince(github, place, textIn(earlier, 'created_at'))))
    return true;
  await github.send('PATCH', place, { state: 'closed', state_reason: 'completed' });
  return true;
}

/** Whether the issue was closed or opened again after this comment. Ralph closes it once; a person may open it again. */
async function wasDecidedSince(github: Github, place: string, time: string): Promise<boolean> {
  const events = (await github.list(`${place}/events?${PAGE}`)) ?? [];
  return events
    .filter(isRecord)
    .some(
      (event) =>
        ['closed', 'reopened'].includes(textIn(event, 'event')) && textIn(event, 'created_at') >= time,
    );
}

function textIn(record: GithubRecord, key: string): string {
  const value = record[key];
  return typeof value === 'string' ? value : '';
}
