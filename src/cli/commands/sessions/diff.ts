import { Option } from 'commander';
import { withProject } from '../../../app/open-project.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { plural } from '../../../domain/text/text.ts';
import { diffOfCommit } from '../../../host/git/commit-diff.ts';
import { hasObject } from '../../../host/git/git.ts';
import { currentBranch, findGit } from '../../../host/git/git-directory.ts';
import type { Place } from '../../../host/git/own-git.ts';
import { workRef } from '../../../host/git/refs.ts';
import { findLanded } from '../../../host/landing/land-commit.ts';
import { readRef } from '../../../host/landing/trunk.ts';
import { sessionRef } from '../../../host/landing/work-refs.ts';
import { show, type TaskDetails } from '../../../queue/tasks/show.ts';
import { diffText } from '../../../text/diff-text.ts';
import { oneLine, paint, shortId } from '../../../text/terminal/style.ts';
import { clip } from '../../../text/terminal/table.ts';
import { defineCommand } from '../../command.ts';
import { parseCount, taskId } from '../../parse.ts';

export const diff = defineCommand<[id: number], { attempt?: number }>({
  name: 'diff',
  summary: "show what a task's work changed",
  group: 'Look',
  args: [taskId()],
  options: [
    new Option('--attempt <n>', 'the work of its n-th session, in the order of ralph show').argParser(
      parseCount,
    ),
  ],
  examples: ['ralph diff 7', 'ralph diff 7 --attempt 1', 'ralph diff 7 --json'],
  run: (context, [id], { attempt }) =>
    withProject(context, async ({ queue, root, stateDir }) => {
      const task = await show(queue, id);
      if (findGit(root) === null)
        throw new Refusal('This project is in no git repository, so Ralph has no changes to show.');
      const repository = { root, stateDir, env: context.env };
      const work = await (attempt === undefined
        ? findWork(repository, task)
        : findAttempt(repository, task, attempt));
      const changes = await diffOfCommit(repository, work.commit);
      const { color, columns } = context.terminal;
      const head = paint(clip(headText(task, work), columns), 'bold', color);
      return {
        json: { task_id: id, ...work, diff: changes },
        text: `${head}\n\n${changes === '' ? 'It changed no file.' : diffText(changes, color)}`,
      };
    }),
});

type FoundWork = {
  /** `landed`: it is part of the branch. */
  kind: 'landed' | 'unfinished';
  commit: string;
  /** Both null if it is not known which session left the work. */
  session_id: string | null;
  attempt: number | null;
};

/** The commit of a done task; otherwise the last attempt that left work. */
async function findWork(repository: Place, task: TaskDetails): Promise<FoundWork> {
  const { id, receipt, sessions, status } = task;
  if (status === 'done' && receipt !== null) return landedWork(repository, task, receipt);
  for (let attempt = sessions.length; attempt >= 1; attempt--) {
    const found = await attemptWork(repository, task, attempt);
    if (found !== null && (await diffOfCommit(repository, found.commit)) !== '') return found;
  }
  const commit = await readRef(repository, workRef(id));
  if (commit !== null) return { kind: 'unfinished', commit, session_id: null, attempt: null };
  throw new Refusal(
    sessions.length === 0
      ? `Task ${id} has had no session yet, so there is nothing to show; ralph why ${id} says what it waits for.`
      : `No session of task ${id} has left changes; ralph log ${shortId(sessions.at(-1)?.id ?? '')} shows what the last one did.`,
  );
}

async function findAttempt(repository: Place, task: TaskDetails, attempt: number): Promise<FoundWork> {
  const { id, sessions } = task;
  const session = sessions[attempt - 1];
  if (session === undefined)
    throw new Refusal(
      `Task ${id} has had ${plural(sessions.length, 'session')}, so there is no session ${attempt} of it; ralph show ${id} lists them.`,
    );
  const found = await attemptWork(repository, task, attempt);
  if (found !== null) return found;
  throw new Refusal(
    `Nothing is left of the changes of session ${shortId(session.id)}; ralph log ${shortId(session.id)} shows what it did.`,
  );
}

async function landedWork(
  repository: Place,
  { id, sessions }: TaskDetails,
  { commit, session_id, no_change_reason }: NonNullable<TaskDetails['receipt']>,
): Promise<FoundWork> {
  if (commit === null)
    throw new Refusal(
      no_change_reason === null
        ? `Task ${id} is done without a commit of its own; ralph show ${id} shows its receipt.`
        : `Task ${id} is done and changed no file: ${no_change_reason}`,
    );
  const attempt = sessions.findIndex((session) => session.id === session_id) + 1;
  const found = (await hasObject(repository, commit)) ? commit : await findByTrailer(repository, session_id);
  if (found === null)
    throw new Refusal(
      `The commit ${commit.slice(0, 7)} of task ${id} is not in this repository any more; git fetch may bring it back.`,
    );
  return { kind: 'landed', commit: found, session_id, attempt: attempt === 0 ? null : attempt };
}

/** After a rebase the work has another commit, and git may have removed the one that the receipt names. */
async function findByTrailer(repository: Place, session_id: string): Promise<string | null> {
  const git = findGit(repository.root);
  const ref = (git === null ? null : currentBranch(git)) ?? '';
  return findLanded(repository, { ref }, `Ralph-Session: ${session_id}`, null, { everywhere: true });
}

/** Null if nothing of the attempt's work is left. */
async function attemptWork(repository: Place, task: TaskDetails, attempt: number): Promise<FoundWork | null> {
  const { id, sessions, receipt } = task;
  const session = sessions[attempt - 1];
  if (session === undefined) return null;
  if (receipt?.session_id === session.id && receipt.commit !== null)
    return landedWork(repository, task, receipt);
  const found = (commit: string): FoundWork => ({
    kind: 'unfinished',
    commit,
    session_id: session.id,
    attempt,
  });
  const workCommit = await readRef(repository, sessionRef(session.id));
  if (workCommit !== null) return found(workCommit);
  // Its ref goes when the task is done, but git keeps the commit for some weeks.
  const { work_commit, slot } = session;
  if (work_commit !== null && (await hasObject(repository, work_commit))) return found(work_commit);
  // Sessions in the checkout share the task's ref: it holds what the last of them left.
  const isLastInPlace = slot === null && sessions.slice(attempt).every((later) => later.slot !== null);
  const shared = isLastInPlace ? await readRef(repository, workRef(id)) : null;
  return shared === null ? null : found(shared);
}

function headText({ id, title }: TaskDetails, { kind, commit, session_id }: FoundWork): string {
  const whose = session_id === null ? '' : `, session ${shortId(session_id)}`;
  const state = kind === 'landed' ? `commit ${commit.slice(0, 7)}` : `unfinished work ${commit.slice(0, 7)}`;
  return `#${id} ${oneLine(title)}  ${state}${whose}`;
}
