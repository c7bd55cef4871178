// Looks at the pull requests of tasks: opens those that GitHub does not have yet, and settles or puts back tasks by what it says.
// Each step can be repeated: a process that is killed in between leaves it to the next look.
import type { Config } from '../../domain/config.ts';
import {
  decidePull,
  type PullDecision,
  type PullView,
  seenWords,
} from '../../domain/pull-requests/decide-pull.ts';
import type { PullRequest } from '../../domain/pull-requests/pull-request.ts';
import { receiptBody } from '../../domain/pull-requests/receipt-body.ts';
import { returnedText } from '../../domain/pull-requests/returned-text.ts';
import { Refusal } from '../../domain/refusal.ts';
import { withoutSecrets } from '../../domain/secrets/secret-text.ts';
import { singleLine, truncate, visible } from '../../domain/text/text.ts';
import type { Place } from '../../host/git/own-git.ts';
import { type Github, GithubRefusal, openGithub } from '../../host/github/client.ts';
import { readJobLog } from '../../host/github/job-log.ts';
import {
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
import { readReceipt, recordOpened, takePulls } from '../../queue/pull-requests/look.ts';
import {
  settleClosed,
  settleMerged,
  settleOutrun,
  settleReturned,
} from '../../queue/pull-requests/settle-pull.ts';
import type { Queue } from '../../queue/queue.ts';

export type PullStep = 'opened' | 'waits' | 'merged' | 'merged_early' | 'returned' | 'closed';

/** What a look found out about one pull request. */
export type LookedPull = FoundPull & { task_id: number; step: PullStep };

export type PullWatch = {
  /** Throws a Refusal if GitHub does not answer: the next look goes on. */
  look(options: LookOptions): Promise<void>;
};

export type LookOptions = {
  /** Whether also at those that are not due yet. */
  isAll: boolean;
  /** Whether a person waits for the answer, and so Ralph waits for GitHub. */
  isAsked: boolean;
  onLooked(looked: LookedPull): void;
};

export type PullWatchInput = {
  queue: Queue;
  place: Place;
  config: Pick<Config, 'land' | 'github' | 'verify_feature' | 'max_attempts'>;
};

/** Null if work goes onto the branch itself. Refuses before any work begins what would keep Ralph from opening pull requests. */
export async function watchPulls({ queue, place, config }: PullWatchInput): Promise<PullWatch | null> {
  const { land, github: chosen, verify_feature: verify, max_attempts } = config;
  if (land.target === 'branch' || land.remote === null) return null;
  const { api } = chosen;
  const repository = await requireRepository(place, { remote: land.remote, api, chosen: chosen.repository });
  await requireToken(api, place);

  const lookAt = async (pull: PullRequest, github: Github, token: GithubToken): Promise<LookedPull[]> => {
    const before = pull.number === null ? null : await viewPull(github, repository, pull.number);
    // The text of one that is merged or closed stays: it shows the receipt of what was merged.
    const known = before === null || before.isOpen ? await openIfNeeded(pull, github) : before;
    const looked = (step: PullStep): LookedPull => {
      const { number, url } = known;
      return { number, url, task_id: pull.task_id, step };
    };
    const view = before ?? (await viewPull(github, repository, known.number));
    const opened = pull.number === null ? [looked('opened')] : [];
    if (view.merged !== null && (await isOutrun(pull, view, github))) {
      const next = await settleOutrun(queue, pull, { commit: view.merged });
      return next === null ? [] : [...opened, looked('merged_early'), ...(await lookAt(next, github, token))];
    }
    const step = await settle(pull, view, { github, token });
    return [...opened, ...(step === null ? [] : [looked(step)])];
  };

  /** Somebody merged it while a session was at work, whose push came too late: the merge does not hold what the gates judged. */
  const isOutrun = async ({ branch, head }: PullRequest, view: PullView, github: Github): Promise<boolean> =>
    view.head !== head && (await readBranch(github, repository, branch)) === head;

  /** The pull request with the receipt of the last push as its text. */
  const openIfNeeded = async (pull: PullRequest, github: Github): Promise<FoundPull> => {
    const { number, url, described, session_id, branch, base } = pull;
    if (number !== null && described === session_id) return { number, url: url ?? '' };
    const receipt = await readReceipt(queue, pull);
    const title = truncate(singleLine(visible(withoutSecrets(receipt.task.title))), MAX_TITLE);
    const text = { title, body: receiptBody(receipt) };
    const wanted = { ...text, branch, base, session_id };
    const there = number === null ? await findPull(github, repository, wanted) : { number, url: url ?? '' };
    const found = there ?? (await createPull(github, repository, wanted));
    if (there !== null) await describePull(github, repository, there.number, text);
    await recordOpened(queue, pull, found);
    return found;
  };

  /** Null if another process or a person was first. */
  const settle = async (pull: PullRequest, view: PullView, api: Api): Promise<PullStep | null> => {
    const decision = decidePull(view, pull, queue.now());
    switch (decision.kind) {
      case 'waits':
        return 'waits';
      case 'merged':
        return (await settleMerged(queue, pull, { commit: decision.commit, verify })) ? 'merged' : null;
      case 'closed':
        return (await settleClosed(queue, pull)) ? 'closed' : null;
      case 'back': {
        const text = await describeReturn(pull, view, decision, api);
        const seen = seenWords(view.words, pull);
        const back = { decision, text, head: view.head, seen, max_attempts };
        return (await settleReturned(queue, pull, back)) ? 'returned' : null;
      }
    }
  };

  const describeReturn = async (
    { base }: PullRequest,
    view: PullView,
    decision: Extract<PullDecision, { kind: 'back' }>,
    { github, token }: Api,
  ): Promise<string> => {
    const details = new Map<string, string>();
    for (const { id, name, hasLog } of decision.red.slice(0, MAX_DETAILED)) {
      if (id === null) continue;
      const found = await readAnnotations(github, repository, id);
      const log = hasLog ? await readJobLog({ api, token }, repository, id) : '';
      details.set(name, [found, log].filter((part) => part.trim() !== '').join('\n\n'));
    }
    const remarks = decision.changes.length === 0 ? [] : await readRemarks(github, repository, view.number);
    return returnedText({ view, decision, remarks, details, base });
  };

  return {
    look: async ({ isAll, isAsked, onLooked }) => {
      const pulls = await takePulls(queue, { isAll });
      if (pulls.length === 0) return;
      // Each time anew: a person may have renewed it.
      const token = await requireToken(api, place);
      const github = openGithub({ api, token, isPatient: false, isHasty: !isAsked, tell: () => {} });
      let failure: Refusal | null = null;
      for (const pull of pulls)
        try {
          for (const looked of await lookAt(pull, github, token)) onLooked(looked);
        } catch (error) {
          // What is wrong with one of them keeps nobody from the others.
          const isOut = error instanceof GithubRefusal && error.isOut;
          if (!(error instanceof Refusal) || isOut) throw error;
          failure ??= error;
        }
      if (failure !== null) throw failure;
    },
  };
}

type Api = { github: Github; token: GithubToken };

const [MAX_TITLE, MAX_DETAILED] = [250, 5];

async function requireToken(api: string, { env }: Place): Promise<GithubToken> {
  const token = await findToken(api, env);
  if (token !== null) return token;
  throw new Refusal(
    `Pull requests need a token for ${githubHost(api)}; set GH_TOKEN, or GH_ENTERPRISE_TOKEN for your own server, or run gh auth login.`,
  );
}
