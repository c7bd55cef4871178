import { z } from 'zod';
import { type DefinitionProposal, proposalName, proposalText } from '../../domain/definition.ts';
import type { PullSummary } from '../../domain/pull-requests/pull-request.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { needsMending, parkedText } from '../../domain/sessions/parked-agents.ts';
import type { StopTime } from '../../domain/sessions/session.ts';
import type { Flag } from '../../domain/tasks/flag.ts';
import type { Question, Task } from '../../domain/tasks/task.ts';
import { lineDiff } from '../../domain/text/line-diff.ts';
import { findStopRequest } from '../../queue/sessions/request-stop.ts';
import { parkedAgents, resumeTime } from '../../queue/sessions/runs.ts';
import { type ListedSession, listSessions } from '../../queue/sessions/sessions.ts';
import { suggestedFiles, type TouchedFile } from '../../queue/tasks/context-files.ts';
import { findTitles } from '../../queue/tasks/list.ts';
import { findNeeds, type Needs } from '../../queue/tasks/needs.ts';
import { type QueueStatus, status } from '../../queue/tasks/status.ts';
import { seenMark } from '../actions/definitions.ts';
import { from } from '../fields.ts';
import { type Landing, readTrain, type Stage } from '../train.ts';
import { defineView } from '../view.ts';

/** How many of each kind are shown. */
const MAX_PER_KIND = 20;
/** More than one machine runs at once. */
const MAX_RUNNING = 100;

/** What needs a person, what is running, and how far the queue has come. */
export type NowView = {
  /** `why`: the first failure of its gate, or what its agent reported. */
  needs: Omit<Needs, 'failed' | 'blocked'> & {
    failed: readonly (Needs['failed'][number] & { why: string })[];
    /** `pull`: the pull request that it waits for; null if it waits for something else. */
    blocked: readonly (Needs['blocked'][number] & { pull: PullSummary | null })[];
  };
  questions: readonly (Question & { title: string })[];
  /** Open flags: those that block come first. */
  flags: readonly (Flag & { title: string })[];
  /** How many questions come before these. */
  questions_before: number;
  /** Files that sessions search for again and again. */
  files: readonly TouchedFile[];
  /** Changes below .ralph that wait for the person. `isWhole`: false if the page shows only a part of them. */
  definitions: readonly {
    name: string;
    text: string;
    seen: string;
    isWhole: boolean;
    files: readonly { path: string; diff: string }[];
  }[];
  /** How many of each kind are not shown. */
  more: { questions: number; flags: number; failed: number; blocked: number; drafts: number; files: number };
  running: readonly (ListedSession & Stage & { isAlive: boolean })[];
  /** What lands or waits to land, in this order. */
  train: readonly Landing[];
  /** The supervisors at work, on all machines. `stopping`: set where a person has asked one to stop. */
  supervisors: readonly { id: number; host: string | null; stopping: StopTime | null }[];
  /** When the usage limit ends, as far as a run knows. */
  waiting_until: number | null;
  /** The agents that start nothing. `text`: what a person has to mend; null if it is a limit. */
  parked: readonly { agent: string; until: number | null; text: string | null }[];
  next: Pick<Task, 'id' | 'title'> | null;
  due: number | null;
  counts: QueueStatus['counts'];
  ready: number;
};

export const now = defineView({
  path: '/api/now',
  input: z.strictObject({ from }),
  read: async ({ queue, isAlive, definitions }, { from: first }): Promise<NowView> => {
    const { counts, ready, next, due, questions, flags, more_flags, runs, pull_requests } =
      await status(queue);
    const pulls = new Map(pull_requests.map(({ task_id, ...pull }) => [task_id, pull]));
    const alive = new Set(runs.filter(isAlive).map(({ id }) => id));
    const asked = questions.slice(first, first + MAX_PER_KIND);
    const flagged = flags.slice(0, MAX_PER_KIND);
    const titles = await findTitles(
      queue,
      [...asked, ...flagged].map(({ task_id }) => task_id),
    );
    const { sessions } = await listSessions(queue, { isOpen: true }, MAX_RUNNING);
    const supervisors = runs.filter((run) => run.kind === 'supervisor' && alive.has(run.id));
    const until = await resumeTime(queue);
    const files = await suggestedFiles(queue);
    const open = await findNeeds(queue, MAX_PER_KIND);
    const running: NowView['running'] = sessions.map((session) => ({
      ...session,
      isAlive: alive.has(session.run_id),
    }));
    const beyond = (all: number): number => Math.max(0, all - MAX_PER_KIND);
    return {
      needs: {
        ...open,
        failed: open.failed.map((task) => ({ ...task, why: whyFailed(task) })),
        blocked: open.blocked.map((task) => ({ ...task, pull: pulls.get(task.id) ?? null })),
      },
      questions: asked.map((question) => ({ ...question, title: titles.get(question.task_id) ?? '' })),
      flags: flagged.map((flag) => ({ ...flag, title: titles.get(flag.task_id) ?? '' })),
      questions_before: Math.min(first, questions.length),
      files: files.slice(0, MAX_PER_KIND),
      definitions: (await definitions.pending()).slice(0, MAX_PER_KIND).map(shownProposal),
      more: {
        questions: beyond(questions.length - first),
        flags: beyond(flags.length + more_flags),
        failed: beyond(counts.failed),
        blocked: beyond(counts.blocked),
        drafts: beyond(counts.draft),
        files: beyond(files.length),
      },
      running,
      train: await readTrain(
        queue,
        running.filter(({ isAlive: isAtWork }) => isAtWork),
      ),
      supervisors: await Promise.all(
        supervisors.map(async ({ id, host = null }) => ({
          id,
          host,
          stopping: await findStopRequest(queue, id),
        })),
      ),
      waiting_until: until !== null && until > queue.now() ? until : null,
      parked: (await parkedAgents(queue)).map((park) => ({
        agent: park.agent,
        until: park.until,
        text: needsMending(park) ? parkedText(park) : null,
      })),
      next: next === null ? null : { id: next.id, title: next.title },
      due,
      counts,
      ready,
    };
  },
});

/** More than a person reads in a card; the command shows all of it. */
const MAX_DIFF = 20_000;

function shownProposal(proposal: DefinitionProposal): NowView['definitions'][number] {
  const files = proposal.changes.map(({ path, before, after }) => ({ path, diff: lineDiff(before, after) }));
  return {
    name: proposalName(proposal),
    text: proposalText(proposal),
    seen: seenMark(proposal),
    isWhole: files.every(({ diff }) => diff.length <= MAX_DIFF),
    files: files.map(({ path, diff }) => ({ path, diff: diff.slice(0, MAX_DIFF) })),
  };
}

const whyFailed = ({ gate, last_comment }: Needs['failed'][number]): string =>
  gate === null ? (last_comment ?? '') : `gate ${gate.name}: ${firstFailure(gate)}`;
