// Pull requests of a bare repository on disk: their heads, and how they merge, are what git says.
import { runNow } from '../run-now.ts';
import {
  type Call,
  type FakeGithub,
  type FakePull,
  invalid,
  nextNumber,
  ok,
  pageUrl,
  type Reply,
  type Routes,
  repositoryUrl,
} from './state.ts';

const PULL = '/repos/{owner}/{repo}/pulls/{pull_number}';
const TIME = '2026-01-07T10:00:00Z';

export const pullRoutes: Routes = {
  'GET /repos/{owner}/{repo}/pulls': ({ fake, query }) => {
    const [head, base, state] = [query.get('head'), query.get('base'), query.get('state') ?? 'open'];
    return ok(
      fake.pulls
        .filter((pull) => state === 'all' || pull.state === state)
        // GitHub ignores a head without its owner.
        .filter((pull) => head === null || !head.includes(':') || head === headLabel(fake, pull))
        .filter((pull) => base === null || pull.base === base)
        .map((pull) => pullJson(fake, pull, false)),
    );
  },
  'POST /repos/{owner}/{repo}/pulls': ({ fake, body }) => createPull(fake, body),
  [`GET ${PULL}`]: (call) => withPull(call, (pull) => ok(pullJson(call.fake, pull, true))),
  [`PATCH ${PULL}`]: (call) =>
    withPull(call, (pull) => {
      const { title, body, state, base } = call.body;
      if (state === 'open' && pull.merged !== null)
        return invalid('state cannot be changed. The pull request was merged.');
      if (state === 'closed' && pull.state === 'open') closePull(call.fake, pull);
      Object.assign(pull, {
        ...(title !== undefined && { title }),
        ...(body !== undefined && { body }),
        ...(base !== undefined && { base }),
        ...(state === 'open' && { state, closedAt: null }),
      });
      return ok(pullJson(call.fake, pull, true));
    }),
  'GET /repos/{owner}/{repo}/compare/{basehead}': ({ fake, path }) => {
    const [base = '', head = ''] = (path['basehead'] ?? '').split('...');
    if (![base, head].every((commit) => isKnown(fake, commit))) return null;
    const list = (range: string): string[] =>
      git(fake, 'rev-list', '--reverse', range).split('\n').filter(Boolean);
    const commits = list(`${base}..${head}`);
    const [ahead, behind] = [commits.length, list(`${head}..${base}`).length];
    const moved = ahead > 0 ? 'ahead' : behind > 0 ? 'behind' : 'identical';
    return ok({
      status: ahead > 0 && behind > 0 ? 'diverged' : moved,
      ...{ ahead_by: ahead, behind_by: behind, total_commits: ahead },
      commits: commits.map((sha) => ({
        sha,
        commit: { message: git(fake, 'log', '-1', '--format=%B', sha) },
      })),
    });
  },
  [`GET ${PULL}/reviews`]: (call) =>
    withPull(call, (pull) =>
      ok(pull.reviews.map(({ login, ...review }) => ({ ...review, user: { login } }))),
    ),
  [`GET ${PULL}/comments`]: (call) =>
    withPull(call, (pull) =>
      ok(
        pull.remarks.map(({ login, review, answers, ...remark }) => ({
          ...remark,
          user: { login },
          pull_request_review_id: review,
          ...(answers !== undefined && { in_reply_to_id: answers }),
          ...(remark.line === null ? { line: undefined } : { side: 'RIGHT' }),
        })),
      ),
    ),
  [`PUT ${PULL}/merge`]: (call) =>
    withPull(call, (pull) => {
      const { sha, merge_method: method = 'merge', commit_message } = call.body;
      if (sha !== undefined && sha !== headSha(call.fake, pull))
        return {
          status: 409,
          value: { message: 'Head branch was modified. Review and try the merge again.' },
        };
      if (method === 'rebase') return refuseMerge('Rebase merges are not allowed on this repository.');
      const merged = mergePull(call.fake, pull.number, {
        isSquash: method === 'squash',
        message: commit_message,
      });
      return merged === null
        ? refuseMerge('Pull Request is not mergeable')
        : ok({ sha: merged, merged: true, message: 'Pull Request successfully merged' });
    }),
};

const refuseMerge = (message: string): Reply => ({ status: 405, value: { message } });

function withPull({ fake, path }: Call, reply: (pull: FakePull) => Reply): Reply | null {
  const pull = fake.pulls.find(({ number }) => String(number) === path['pull_number']);
  return pull === undefined ? null : reply(pull);
}

function createPull(fake: FakeGithub, body: Call['body']): Reply {
  const head = String(body['head']).replace(/^[^:]*:/, '');
  const base = String(body['base']);
  if (readRef(fake, head) === null) return invalid(`head ${head} is not a branch`);
  if (readRef(fake, base) === null) return invalid(`base ${base} is not a branch`);
  if (fake.pulls.some((pull) => pull.state === 'open' && pull.head === head && pull.base === base))
    return invalid(`A pull request already exists for ${fake.name.split('/')[0]}:${head}.`);
  if (git(fake, 'rev-list', '--count', `${base}..${head}`) === '0')
    return invalid(`No commits between ${base} and ${head}`);
  const pull: FakePull = {
    number: nextNumber(fake),
    title: String(body['title']),
    body: typeof body['body'] === 'string' ? body['body'] : null,
    head,
    base,
    draft: body['draft'] === true,
    state: 'open',
    merged: null,
    closedAt: null,
    reviews: [],
    remarks: [],
  };
  fake.pulls.push(pull);
  return { status: 201, value: pullJson(fake, pull, true) };
}

function closePull(fake: FakeGithub, pull: FakePull): void {
  pull.closedAt = headSha(fake, pull);
  // It stays there when the branch is deleted.
  git(fake, 'update-ref', `refs/pull/${pull.number}/head`, pull.closedAt);
  pull.state = 'closed';
}

/** As the button does. Null if the branches conflict, or it is not open. */
export function mergePull(
  fake: FakeGithub,
  number: number,
  { isSquash = false, message }: { isSquash?: boolean; message?: unknown } = {},
): string | null {
  const pull = fake.pulls.find((one) => one.number === number);
  if (pull === undefined || pull.state !== 'open' || pull.draft) return null;
  const [tree, base, head] = [mergedTree(fake, pull), readRef(fake, pull.base), headSha(fake, pull)];
  if (tree === null || base === null) return null;
  const text = typeof message === 'string' ? message : `Merge pull request #${number}`;
  const parents = isSquash ? ['-p', base] : ['-p', base, '-p', head];
  const commit = git(fake, 'commit-tree', tree, ...parents, '-m', text);
  git(fake, 'update-ref', `refs/heads/${pull.base}`, commit, base);
  closePull(fake, pull);
  pull.merged = commit;
  return commit;
}

function mergedTree(fake: FakeGithub, { base, head }: FakePull): string | null {
  try {
    return git(fake, 'merge-tree', '--write-tree', base, head).split('\n')[0] ?? null;
  } catch {
    return null;
  }
}

export const headSha = (fake: FakeGithub, { head, closedAt }: FakePull): string =>
  closedAt ?? readRef(fake, head) ?? '0'.repeat(40);

function isKnown(fake: FakeGithub, commit: string): boolean {
  try {
    git(fake, 'cat-file', '-e', `${commit}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

export function readRef(fake: FakeGithub, branch: string): string | null {
  try {
    return git(fake, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  } catch {
    return null;
  }
}

/** In the bare repository, as GitHub. */
export function git({ repository }: FakeGithub, ...args: string[]): string {
  if (repository === null) throw new Error('This GitHub has no repository; set `repository` to a bare one.');
  const who = ['-c', 'user.name=GitHub', '-c', 'user.email=noreply@github.example'];
  const env = { PATH: process.env['PATH'], HOME: repository };
  return runNow('git', [...who, ...args], { cwd: repository, env }).trim();
}

const headLabel = ({ name }: FakeGithub, { head }: FakePull): string => `${name.split('/')[0]}:${head}`;

function pullJson(fake: FakeGithub, pull: FakePull, isWhole: boolean): object {
  const { number, title, body, state, draft, head, base, merged } = pull;
  const sha = headSha(fake, pull);
  const closed = state === 'closed' ? TIME : null;
  return {
    ...{ number, title, body, state, draft, closed_at: closed, merge_commit_sha: merged },
    id: number + 2_000,
    url: `${repositoryUrl(fake)}/pulls/${number}`,
    html_url: `${pageUrl(fake)}/pull/${number}`,
    user: { login: fake.login },
    merged_at: merged === null ? null : TIME,
    head: { ref: head, sha, label: headLabel(fake, pull), repo: { full_name: fake.name } },
    base: { ref: base, sha: readRef(fake, base) ?? sha, label: `${fake.name.split('/')[0]}:${base}` },
    // The list does not say these.
    ...(isWhole && {
      merged: merged !== null,
      mergeable: state === 'open' ? mergedTree(fake, pull) !== null : null,
      mergeable_state: 'unknown',
    }),
  };
}
