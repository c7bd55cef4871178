// Looks at pull requests: opens those that GitHub does not have yet, and settles or puts back tasks by what it says.
// Each step can be repeated: a process that is killed in between leaves it to the next look.
import type { Config } from '../../domain/config.ts';
import {
  chooseMender,
  decidePull,
  type PullDecision,
  type PullView,
  seenWords,
} from '../../domain/pull-requests/decide-pull.ts';
import { lastPart, type PullPart, type PullRequest } from '../../domain/pull-requests/pull-request.ts';
import { pullBody, pullTitle } from '../../domain/pull-requests/receipt-body.ts';
import { requestedRemarks, returnedText } from '../../domain/pull-requests/returned-text.ts';
import { Refusal } from '../../domain/refusal.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import type { Place } from '../../host/git/own-git.ts';
import { type Github, GithubRefusal, openGithub } from '../../host/github/client.ts';
import { findRepository } from '../../host/github/issues.ts';
import { readJobLog } from '../../host/github/job-log.ts';
import {
  compareCommits,
  createPull,
  describePull,
  type FoundPull,
  findPull,
  readAnnotations,
  readBranch,
  readRemarks,
  viewPull,
} from '../../host/github/pulls.ts';
import { requireRepository } from '../../host/github/repository.ts';
import { findToken, type GithubToken, githubHost } from '../../host/github/token.ts';
import { findMergedWork } from '../../host/landing/merged-work.ts';
import { configuredRemote } from '../../host/remote/remote.ts';
import {
  readChangedFiles,
  readEarlierNumbers,
  readPullText,
  recordOpened,
  takePulls,
} from '../../queue/pull-requests/look.ts';
import {
  type Missing,
  settleClosed,
  settleMerged,
  settleReopened,
  settleReturned,
} from '../../queue/pull-requests/settle-pull.ts';
import type { Queue } from '../../queue/queue.ts';

export type PullStep =
  | 'opened'
  | 'waits'
  | 'merged'
  | 'merged_early'
  | 'dropped'
  | 'returned'
  | 'closed'
  | 'reopened';

/** What a look found out about one pull request. */
export type LookedPull = FoundPull & { task_id: number; step: PullStep };

export type PullWatch = {
  /** Throws a Refusal if GitHub does not answer: the next look goes on. */
  look(options: LookOptions): Promise<void>;
};

type LookOptions = {
  /** Whether also at those that are not due yet. */
  isAll: boolean;
  /** Whether a person waits for the answer, and so Ralph waits for GitHub. */
  isAsked: boolean;
  onLooked(looked: LookedPull): void;
};

type PullWatchInput = {
  queue: Queue;
  place: Place;
  config: Pick<Config, 'land' | 'github' | 'verify_feature' | 'max_attempts'>;
};

/** Null if work goes onto the branch itself. Refuses before any work begins what would keep Ralph from opening pull requests. */
export async function watchPulls({ queue, place, config }: PullWatchInput): Promise<PullWatch | null> {
  const { land, github: chosen, verify_feature: verify, max_attempts } = config;
  const remote = configuredRemote(land);
  if (land.target === 'branch' || remote === null) return null;
  const { api } = chosen;
  const named = await requireRepository(place, { remote: remote.name, api, chosen: chosen.repository });
  await requireToken(api, place);

  const lookAt = async (pull: PullRequest, api: Api): Promise<LookedPull[]> => {
    const { github, repository } = api;
    const before = pull.number === null ? null : await viewPull(github, repository, pull.number);
    // The text of one that is merged or closed stays: it shows the receipts of what was merged.
    const known = before === null || before.isOpen ? await openIfNeeded(pull, api) : before;
    const looked = (step: PullStep, task_id = lastPart(pull).task_id): LookedPull => {
      const { number, url } = known;
      return { number, url, task_id, step };
    };
    const view = before ?? (await viewPull(github, repository, known.number));
    const opened = pull.number === null ? [looked('opened')] : [];
    return [...opened, ...(await settle(pull, view, looked, api))];
  };

  /**
   * What the merge does not hold. A push may have come too late for it, or a person may have removed the commit of a task from the
   * branch. Where they rebased or squashed it, the commit names the session, or its change is there.
   */
  const findMissing = async (
    { parts, branch }: PullRequest,
    { number, head: merged }: PullView,
    { github, repository }: Api,
  ): Promise<Missing> => {
    const absent: PullPart[] = [];
    for (const part of parts.filter(({ head, status }) => head !== merged && !isSatisfied(status))) {
      const compared = await compareCommits(github, repository, { commit: part.head, tip: merged });
      const isNamed = compared?.messages.some((message) => hasSession(message, part.session_id)) === true;
      if (compared?.isContained !== true && !isNamed) absent.push(part);
    }
    if (absent.length === 0) return { late: [], dropped: [] };
    const ref = { head: merged, ref: `refs/pull/${number}/head` };
    const heads = absent.map(({ head }) => head);
    const found = await findMergedWork(place, remote, ref, heads);
    const tip = await readBranch(github, repository, branch);
    const missing: { late: number[]; dropped: number[] } = { late: [], dropped: [] };
    for (const { task_id, head } of absent.filter((part) => !found.has(part.head))) {
      const isOnTip =
        tip !== null &&
        (await compareCommits(github, repository, { commit: head, tip }))?.isContained === true;
      missing[isOnTip ? 'late' : 'dropped'].push(task_id);
    }
    return missing;
  };

  /** The pull request with the receipts of the last pushes as its text. */
  const openIfNeeded = async (pull: PullRequest, { github, repository }: Api): Promise<FoundPull> => {
    const { number, url, parts, branch, base } = pull;
    if (number !== null && parts.every(({ described, session_id }) => described === session_id))
      return { number, url: url ?? '' };
    const receipts = await readPullText(queue, pull);
    const text = { title: pullTitle(receipts), body: pullBody(receipts) };
    const sessions = parts.map(({ session_id }) => session_id);
    const earlier = await readEarlierNumbers(queue, pull);
    const wanted = { ...text, branch, base, sessions, earlier };
    const there = number === null ? await findPull(github, repository, wanted) : { number, url: url ?? '' };
    const found = there ?? (await createPull(github, repository, wanted));
    if (there !== null) await describePull(github, repository, there.number, text);
    await recordOpened(queue, pull, found);
    return found;
  };

  /** Nothing if another process or a person was first. */
  const settle = async (
    pull: PullRequest,
    view: PullView,
    looked: (step: PullStep, task_id?: number) => LookedPull,
    api: Api,
  ): Promise<LookedPull[]> => {
    const decision = decidePull(view, pull, queue.now());
    switch (decision.kind) {
      case 'waits':
        return pull.state === 'closed' ? [] : [looked('waits')];
      case 'merged': {
        const missing = await findMissing(pull, view, api);
        const merged = await settleMerged(queue, pull, { commit: decision.commit, ...missing, verify });
        if (merged === null) return [];
        const { done, next, asking } = merged;
        return [
          ...done.map((task_id) => looked('merged', task_id)),
          ...asking.map((task_id) => looked('dropped', task_id)),
          ...(next === null ? [] : [looked('merged_early'), ...(await lookAt(next, api))]),
        ];
      }
      case 'closed': {
        const closed = await settleClosed(queue, pull);
        return closed === null ? [] : [looked('closed', closed.task_id)];
      }
      case 'reopened':
        return (await settleReopened(queue, pull)) ? [looked('reopened')] : [];
      case 'back':
        return putBack(pull, view, decision, looked, api);
    }
  };

  const putBack = async (
    pull: PullRequest,
    view: PullView,
    decision: Back,
    looked: (step: PullStep, task_id?: number) => LookedPull,
    api: Api,
  ): Promise<LookedPull[]> => {
    const isAsked = decision.changes.length > 0;
    const all = isAsked ? await readRemarks(api.github, api.repository, view.number) : [];
    const remarks = requestedRemarks(all, decision);
    const remarked = remarks.map(({ path }) => path);
    const task_id = chooseMender(pull.parts, decision, remarked, await readChangedFiles(queue, pull));
    if (task_id === null) return [];
    const details = await readDetails(decision, api);
    const { base, feature } = pull;
    const text = returnedText({ view, decision, remarks, details, base, feature });
    const seen = seenWords(view.words, pull);
    const back = { decision, task_id, text, head: view.head, seen, max_attempts };
    return (await settleReturned(queue, pull, back)) ? [looked('returned', task_id)] : [];
  };

  /** By the name of a red check: what its annotations and its log say. */
  const readDetails = async (
    { red }: Back,
    { github, token, repository }: Api,
  ): Promise<Map<string, string>> => {
    const details = new Map<string, string>();
    for (const { id, name, hasLog } of red.slice(0, MAX_DETAILED)) {
      if (id === null) continue;
      const found = await readAnnotations(github, repository, id);
      const log = hasLog ? await readJobLog({ api, token }, repository, id) : '';
      details.set(name, [found, log].filter((part) => part.trim() !== '').join('\n\n'));
    }
    return details;
  };

  return {
    look: async ({ isAll, isAsked, onLooked }) => {
      const pulls = await takePulls(queue, { isAll });
      if (pulls.length === 0) return;
      // Each time anew: a person may have renewed it.
      const token = await requireToken(api, place);
      const github = openGithub({ api, token, isPatient: false, isHasty: !isAsked, tell: () => {} });
      const repository = await requirePresentName(github, named);
      let failure: Refusal | null = null;
      for (const pull of pulls)
        try {
          for (const looked of await lookAt(pull, { github, token, repository })) onLooked(looked);
        } catch (error) {
          // A failure of one pull request must not stop the look at the others.
          const isOut = error instanceof GithubRefusal && error.isOut;
          if (!(error instanceof Refusal) || isOut) throw error;
          failure ??= error;
        }
      if (failure !== null) throw failure;
    },
  };
}

type Api = { github: Github; token: GithubToken; repository: string };
type Back = Extract<PullDecision, { kind: 'back' }>;

const MAX_DETAILED = 5;

/** The trailer may be in the middle: a squash keeps all messages in one. */
const hasSession = (message: string, session_id: string): boolean =>
  message.split('\n').some((line) => line.trim() === `Ralph-Session: ${session_id}`);

/** A redirect is not enough: after a move to another owner, GitHub finds no pull request by a head of the former one. */
async function requirePresentName(github: Github, repository: string): Promise<string> {
  const found = await findRepository(github, repository);
  if (found !== null) return found.name;
  throw new Refusal(
    `${github.host} has no repository ${repository} that your token may read; check the address of the git remote, or name it as github.repository.`,
  );
}

async function requireToken(api: string, { env }: Place): Promise<GithubToken> {
  const token = await findToken(api, env);
  if (token !== null) return token;
  throw new Refusal(
    `Pull requests need a token for ${githubHost(api)}; set GH_TOKEN, or GH_ENTERPRISE_TOKEN for your own server, or run gh auth login.`,
  );
}
