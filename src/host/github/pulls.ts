// Opens pull requests, and reads what GitHub and its people say about them.
import type { Check, PullView, Word } from '../../domain/pull-requests/decide-pull.ts';
import type { Remark } from '../../domain/pull-requests/returned-text.ts';
import { Refusal } from '../../domain/refusal.ts';
import { type GithubRecord, isRecord } from './answers.ts';
import { type Github, GithubRefusal } from './client.ts';

export type FoundPull = { number: number; url: string };

type NewPull = {
  branch: string;
  base: string;
  title: string;
  body: string;
  /** Those whose receipts the body shows. */
  sessions: readonly string[];
  /** Numbers of earlier pull requests of the branch. They may show some of these receipts as well. */
  earlier: readonly number[];
};

const PAGE = 'per_page=100';

/**
 * The open pull request of this branch, or the one that shows the receipt of one of these sessions: a killed process may have opened it, and
 * it may have been merged or closed since. An earlier one counts only if it was opened again. Null if there is none.
 */
export async function findPull(
  github: Github,
  repository: string,
  { branch, base, sessions, earlier }: Omit<NewPull, 'title' | 'body'>,
): Promise<FoundPull | null> {
  const [owner = ''] = repository.split('/');
  const head = encodeURIComponent(`${owner}:${branch}`);
  const query = `state=all&head=${head}&base=${encodeURIComponent(base)}&${PAGE}`;
  const all = ((await github.list(`/repos/${repository}/pulls?${query}`)) ?? []).filter(isRecord);
  const shows = ({ number, body }: GithubRecord): boolean =>
    !earlier.some((one) => one === number) &&
    sessions.some((session) => text(body).includes(`Ralph-Session: ${session}`));
  const found = all.find(({ state }) => state === 'open') ?? all.find(shows);
  return found === undefined ? null : readFound(found);
}

/** A request without an answer may have had its effect, and so may one of another process: look before it is repeated. */
export async function createPull(github: Github, repository: string, pull: NewPull): Promise<FoundPull> {
  const { branch: head, base, title, body } = pull;
  try {
    const { value } = await github.send('POST', `/repos/${repository}/pulls`, { title, body, head, base });
    if (isRecord(value)) return readFound(value);
    throw new Refusal(`${github.host} has no repository ${repository} that your token may write to.`);
  } catch (error) {
    const isUnclear = error instanceof GithubRefusal && (error.status === 0 || error.status === 422);
    const found = isUnclear ? await findPull(github, repository, pull) : null;
    if (found === null) throw error;
    return found;
  }
}

export async function describePull(
  github: Github,
  repository: string,
  number: number,
  { title, body }: Pick<NewPull, 'title' | 'body'>,
): Promise<void> {
  await github.send('PATCH', `/repos/${repository}/pulls/${number}`, { title, body });
}

export async function viewPull(github: Github, repository: string, number: number): Promise<PullView> {
  const place = `/repos/${repository}`;
  const { value } = await github.get(`${place}/pulls/${number}`);
  if (!isRecord(value))
    throw new Refusal(`${github.host} has no pull request #${number} in ${repository} that you may read.`);
  const isMerged = value['merged'] === true;
  const isOpen = value['state'] === 'open';
  const head = isRecord(value['head']) ? text(value['head']['sha']) : '';
  const list = async (path: string): Promise<GithubRecord[]> =>
    isOpen ? ((await github.list(`${place}/${path}?${PAGE}`)) ?? []).filter(isRecord) : [];
  return {
    ...readFound(value),
    isOpen,
    merged: isMerged ? text(value['merge_commit_sha']) : null,
    // Null while GitHub finds out.
    hasConflict: value['mergeable'] === false,
    head,
    checks: isOpen ? await readChecks(github, `${place}/commits/${head}`) : [],
    words: [
      // Of the token's owner, GitHub also lists what they have not submitted yet.
      ...(await list(`pulls/${number}/reviews`))
        .filter(({ state }) => state !== 'PENDING')
        .map((review) => readWord(review, 'review')),
      ...(await list(`issues/${number}/comments`)).map((comment) => readWord(comment, 'comment')),
    ],
  };
}

/** Where the branch is now; null if it is gone. */
export async function readBranch(github: Github, repository: string, branch: string): Promise<string | null> {
  const { value } = await github.get(`/repos/${repository}/git/ref/heads/${branch}`);
  return isRecord(value) && isRecord(value['object']) ? text(value['object']['sha']) : null;
}

/** `messages`: those of the commits that only `tip` has; at most the first hundred. */
type Comparison = { isContained: boolean; messages: readonly string[] };

/** Whether `tip` is the commit or has it below; null if GitHub does not know one of them any more. */
export async function compareCommits(
  github: Github,
  repository: string,
  { commit, tip }: { commit: string; tip: string },
): Promise<Comparison | null> {
  const { value } = await github.get(`/repos/${repository}/compare/${commit}...${tip}?${PAGE}`);
  if (!isRecord(value)) return null;
  const commits = Array.isArray(value['commits']) ? value['commits'].filter(isRecord) : [];
  return {
    isContained: value['status'] === 'identical' || value['status'] === 'ahead',
    messages: commits.map((one) => (isRecord(one['commit']) ? text(one['commit']['message']) : '')),
  };
}

/** Remarks on lines of the change. */
export async function readRemarks(github: Github, repository: string, number: number): Promise<Remark[]> {
  const all = (await github.list(`/repos/${repository}/pulls/${number}/comments?${PAGE}`)) ?? [];
  return all.filter(isRecord).map((remark) => ({
    path: text(remark['path']),
    line: integer(remark['line']),
    author: login(remark),
    text: text(remark['body']),
    review: integer(remark['pull_request_review_id']),
  }));
}

const MAX_ANNOTATIONS = 20;

/** What a check found, line by line; empty if it does not say. */
export async function readAnnotations(github: Github, repository: string, check: number): Promise<string> {
  const { value } = await github.get(`/repos/${repository}/check-runs/${check}/annotations?${PAGE}`);
  return (Array.isArray(value) ? value : [])
    .filter(isRecord)
    .filter(({ annotation_level }) => annotation_level !== 'notice')
    .slice(0, MAX_ANNOTATIONS)
    .map(({ path, start_line, message }) => `${text(path)}:${integer(start_line) ?? 0}: ${text(message)}`)
    .join('\n');
}

async function readChecks(github: Github, commit: string): Promise<Check[]> {
  const list = async (path: string, key: string): Promise<GithubRecord[]> =>
    ((await github.list(`${commit}/${path}?${PAGE}`, key)) ?? []).filter(isRecord);
  return [
    ...(await list('check-runs', 'check_runs')).map(readRun),
    ...(await list('status', 'statuses')).map(readStatus),
  ];
}

/** A check that was cancelled, skipped or is for a person to act on refutes nothing. */
const RED = new Set<unknown>(['failure', 'timed_out', 'startup_failure']);

function readRun(run: GithubRecord): Check {
  const output = isRecord(run['output']) ? run['output'] : {};
  const app = isRecord(run['app']) ? run['app'] : {};
  const isOver = run['status'] === 'completed';
  return {
    id: integer(run['id']),
    name: text(run['name']),
    state: !isOver ? 'running' : RED.has(run['conclusion']) ? 'red' : 'green',
    ended: time(run['completed_at']),
    summary: lines(output['title'], output['summary'], output['text'], run['html_url']),
    hasLog: app['slug'] === 'github-actions',
  };
}

const readStatus = (status: GithubRecord): Check => ({
  id: null,
  name: text(status['context']),
  state:
    status['state'] === 'pending'
      ? 'running'
      : status['state'] === 'failure' || status['state'] === 'error'
        ? 'red'
        : 'green',
  ended: time(status['updated_at']),
  summary: lines(status['description'], status['target_url']),
  hasLog: false,
});

const VERDICTS: ReadonlyMap<unknown, Word['verdict']> = new Map([
  ['CHANGES_REQUESTED', 'changes'],
  ['APPROVED', 'approved'],
]);

/** On a public repository every user of GitHub can comment. */
const MEMBERS = new Set<unknown>(['OWNER', 'MEMBER', 'COLLABORATOR']);

const readWord = (word: GithubRecord, kind: Word['kind']): Word => ({
  id: integer(word['id']) ?? 0,
  // A review gets its id when the reviewer begins it, perhaps long before they submit it.
  order: (kind === 'review' ? time(word['submitted_at']) : integer(word['id'])) ?? 0,
  kind,
  verdict: (kind === 'review' ? VERDICTS.get(word['state']) : undefined) ?? 'none',
  author: login(word),
  isMember: MEMBERS.has(word['author_association']),
  text: text(word['body']),
});

function readFound({ number, html_url }: GithubRecord): FoundPull {
  const url = text(html_url);
  if (typeof number !== 'number')
    throw new Refusal('GitHub does not answer with a pull request; check github.api in .ralph/config.yaml.');
  // It becomes a link on the dashboard.
  return { number, url: /^https?:\/\//.test(url) ? url : '' };
}

const login = ({ user }: GithubRecord): string => (isRecord(user) ? text(user['login']) : 'somebody');
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const integer = (value: unknown): number | null => (Number.isSafeInteger(value) ? Number(value) : null);
const lines = (...values: readonly unknown[]): string => values.map(text).filter(Boolean).join('\n');

const time = (value: unknown): number | null => {
  const at = Date.parse(text(value));
  return Number.isNaN(at) ? null : at;
};
