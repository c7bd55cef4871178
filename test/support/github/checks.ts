import { git, readRef } from './pulls.ts';
import { type Call, type FakeGithub, ok, pageUrl, type Routes, repositoryUrl } from './state.ts';

const COMMIT = '/repos/{owner}/{repo}/commits/{ref}';

/** What stands at the head of this branch, or at this commit. */
const shaOf = ({ fake, path }: Call): string => {
  const ref = (path['ref'] ?? '').replace(/^heads\//, '');
  return /^[0-9a-f]{40}$/.test(ref) ? ref : (readRef(fake, ref) ?? ref);
};

const findCheck = (fake: FakeGithub, id: string | undefined) =>
  [...fake.checks.values()].flat().find((check) => String(check.id) === id);

export const checkRoutes: Routes = {
  [`GET ${COMMIT}/check-runs`]: (call) => {
    const sha = shaOf(call);
    const runs = call.fake.checks.get(sha) ?? [];
    return ok({
      total_count: runs.length,
      check_runs: runs.map(({ annotations = [], log: _, output = {}, ...run }) => ({
        ...run,
        head_sha: sha,
        html_url: `${pageUrl(call.fake)}/runs/${run.id}`,
        output: {
          ...{ title: null, summary: null, text: null, ...output },
          annotations_count: annotations.length,
          annotations_url: `${repositoryUrl(call.fake)}/check-runs/${run.id}/annotations`,
        },
      })),
    });
  },
  [`GET ${COMMIT}/status`]: (call) => {
    const sha = shaOf(call);
    const statuses = call.fake.statuses.get(sha) ?? [];
    const states = statuses.map(({ state }) => state);
    const isRed = states.some((state) => state === 'failure' || state === 'error');
    // GitHub calls a commit without any status pending.
    const isGreen = states.length > 0 && states.every((state) => state === 'success');
    const state = isRed ? 'failure' : isGreen ? 'success' : 'pending';
    return ok({ sha, state, total_count: statuses.length, statuses });
  },
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations': ({ fake, path }) => {
    const check = findCheck(fake, path['check_run_id']);
    if (check === undefined) return null;
    return ok((check.annotations ?? []).map((one) => ({ ...one, end_line: one.start_line })));
  },
  // GitHub sends on to a place without a token, on another host.
  'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs': ({ fake, path }) => {
    const check = findCheck(fake, path['job_id']);
    if (check?.log === undefined) return null;
    const location = `${new URL(fake.api).origin.replace('127.0.0.1', 'localhost')}/logs/${check.id}`;
    return { status: 302, value: null, headers: { location } };
  },
  'GET /repos/{owner}/{repo}/git/ref/{ref}': ({ fake, path }) => {
    const branch = (path['ref'] ?? '').replace(/^heads\//, '');
    const sha = readRef(fake, branch);
    return sha === null ? null : ok({ ref: `refs/heads/${branch}`, object: { type: 'commit', sha } });
  },
  'DELETE /repos/{owner}/{repo}/git/refs/{ref}': ({ fake, path }) => {
    const branch = (path['ref'] ?? '').replace(/^heads\//, '');
    if (readRef(fake, branch) === null)
      return {
        status: 422,
        value: { message: 'Reference does not exist', documentation_url: 'https://github.example/docs' },
      };
    git(fake, 'update-ref', '-d', `refs/heads/${branch}`);
    return { status: 204, value: null };
  },
};

/** The text of a job's log, which is served without a token. */
export const findLog = (fake: FakeGithub, path: string): string | null =>
  findCheck(fake, /^\/logs\/(\d+)$/.exec(path)?.[1])?.log ?? null;
