// Tells the issues on GitHub what became of the tasks that came from them. What is to be told is in the outbox first. Whatever fails
// here is tried again later, and never fails a run.
import type { Config } from '../domain/config.ts';
import {
  commentMarker,
  ISSUE_TARGET,
  parseIssueTarget,
  withoutLocalPaths,
} from '../domain/notifications/issue-comment.ts';
import { Refusal } from '../domain/refusal.ts';
import { isPublicGithub } from '../domain/trust.ts';
import { type Github, GithubRefusal, type Outside, openGithub } from '../host/github/client.ts';
import { findToken, githubHost } from '../host/github/token.ts';
import { updateIssue } from '../host/github/update-issue.ts';
import type { Environment } from '../host/processes/spawn.ts';
import { importedBoards } from '../queue/exchange/imported-boards.ts';
import type { IssueRules } from '../queue/notifications/issue-updates.ts';
import { type DueNotification, markTold, putOff, takeIssueUpdates } from '../queue/notifications/outbox.ts';
import type { Queue } from '../queue/queue.ts';

export type IssueSyncInput = {
  queue: Queue;
  root: string;
  /** Sessions work below this folder, so no comment may name one of its paths. */
  slotsFolder: string;
  env: Environment;
  config: Pick<Config, 'github' | 'commit'>;
  onProblem(text: string): void;
  outside?: Outside;
};

/** Null if the configuration does not ask for it. */
export async function readIssueRules({
  queue,
  config,
}: Pick<IssueSyncInput, 'queue' | 'config'>): Promise<IssueRules | null> {
  const { github, commit } = config;
  if (!github.sync) return null;
  const boards = (await importedBoards(queue)).filter((board) => repositoryOn(github.api, board) !== null);
  return { boards, isCommitNow: commit === 'task' || commit === 'agent' };
}

/** Sends what is due, one issue after the other. */
export async function syncIssues(input: IssueSyncInput, { isAsked = false } = {}): Promise<void> {
  const { queue, config, onProblem } = input;
  if (!config.github.sync) return;
  const updates = await takeIssueUpdates(queue, { isAsked });
  const github = updates.length === 0 ? null : await open(input);
  let failure: Failure | null = github === null ? noToken(config.github.api) : null;
  for (const update of updates) {
    // What keeps one comment from GitHub keeps all of them: the others need no request to know.
    const isOut = failure?.isOut ?? false;
    if (github !== null && !isOut) failure = await send(github, input, update);
    if (failure === null) await markTold(queue, [update.id]);
    else {
      await putOff(queue, update, failure);
      onProblem(`the comment on ${update.target.slice(ISSUE_TARGET.length)} failed: ${failure.problem}`);
    }
  }
}

/** `isOut`: GitHub takes nothing at all now. */
type Failure = { problem: string; retryAt: number | null; isOut: boolean };

const noToken = (api: string): Failure => ({
  problem: `Ralph has no token for ${githubHost(api)}; set GH_TOKEN or run gh auth login.`,
  retryAt: null,
  isOut: true,
});

async function send(github: Github, input: IssueSyncInput, update: DueNotification): Promise<Failure | null> {
  const { queue, config } = input;
  const issue = parseIssueTarget(update.target);
  const repository = issue === null ? null : repositoryOn(config.github.api, issue.board);
  // The configuration names another host by now, where no issue waits for this update.
  if (issue === null || repository === null) return null;
  try {
    await updateIssue(github, {
      repository,
      number: issue.number,
      // Masked again: what is secret may be known only since.
      body: queue.mask(withoutLocalPaths(update.text, localFolders(input))),
      marker: commentMarker(update),
      since: update.created,
      closes: update.kind === 'finished',
    });
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { retryAt, isOut } = error instanceof GithubRefusal ? error : { retryAt: null, isOut: false };
    return { problem: error.message, retryAt, isOut };
  }
}

async function open({ env, config, outside }: IssueSyncInput): Promise<Github | null> {
  const { api } = config.github;
  const token = await findToken(api, env);
  if (token === null) return null;
  const input = { api, token, isPatient: false, isHasty: true, tell: () => {} };
  return outside === undefined ? openGithub(input) : openGithub(input, outside);
}

/** OWNER/REPO of a board, which names its host unless that is github.com; null for a board of another host. */
export function repositoryOn(api: string, board: string): string | null {
  const prefix = isPublicGithub(api) ? '' : `${githubHost(api)}/`;
  const name = board.startsWith(prefix) ? board.slice(prefix.length) : '';
  return /^[\w.-]+\/[\w.-]+$/.test(name) ? name : null;
}

const localFolders = ({ root, slotsFolder, env }: IssueSyncInput): [string, string][] => [
  [root, '.'],
  [slotsFolder, '…'],
  ...(env['HOME'] === undefined ? [] : [[env['HOME'], '~'] satisfies [string, string]]),
];
