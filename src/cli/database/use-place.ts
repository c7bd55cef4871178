// `ralph database use`: which queue this project works with.
import { existsSync } from 'node:fs';
import { writeRecord } from '../../app/database-address.ts';
import { requireOwnQueue } from '../../app/require-own-queue.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { plural } from '../../domain/text/text.ts';
import { databasePath, type ProjectPlace } from '../../host/project.ts';
import { describePlace, finishHalfMove, isAddress, lookAtQueue, takeBack } from '../../queue/database.ts';
import { closeQueue, openQueue } from '../../queue/queue.ts';
import { requireIdle } from './require-idle.ts';

export type UseOptions = { yes?: boolean; sameProject?: boolean; takeBack?: boolean };

export async function usePlace(
  context: CommandContext,
  project: ProjectPlace,
  target: string,
  { yes = false, takeBack: isTakenBack = false, sameProject: isJoined = false }: UseOptions,
): Promise<Output> {
  const file = databasePath(project.stateDir);
  if (!isAddress(target) && target !== file)
    throw new Refusal(
      `A project uses its own file ${file} or PostgreSQL; copy the queue with: ralph database copy sqlite`,
    );
  await requireIdle(context, project);
  if (isAddress(target)) await requireOwn(context, project, target, isJoined);
  if (isTakenBack) await takeBack(file);
  const hasFile = existsSync(file);
  const isFinished = hasFile && target !== file && (await finishHalfMove(file, target));
  const [there, here] = [
    await lookAtQueue(target),
    hasFile && target !== file ? await lookAtQueue(file) : null,
  ];
  const shown = describePlace(target, context.env);
  if (there.moved !== null)
    throw new Refusal(
      `The queue at ${shown} moved to ${there.moved}; use that one${target === file ? ', or continue with the file: ralph database use sqlite --take-back' : ''}.`,
    );
  if (here !== null && here.moved === null && here.tasks > 0)
    await requireConsent(context, yes, {
      fact: `The ${plural(here.tasks, 'task')} of ${file} stay behind; ralph database copy would bring them along.`,
      question: `Use ${shown} with its ${plural(there.tasks, 'task')} instead?`,
    });
  await writeRecord(project.stateDir, target === file ? null : target);
  return {
    json: { place: shown, tasks: there.tasks, finished: isFinished },
    text: `This project uses ${shown} from now on, with ${plural(there.tasks, 'task')}.`,
  };
}

async function requireOwn(
  { env }: CommandContext,
  project: ProjectPlace,
  target: string,
  isJoined: boolean,
): Promise<void> {
  const queue = await openQueue(target);
  await requireOwnQueue({ ...project, env, queue }, { isJoined }).finally(() => closeQueue(queue));
}

async function requireConsent(
  { terminal }: CommandContext,
  yes: boolean,
  { fact, question }: { fact: string; question: string },
): Promise<void> {
  if (yes) return;
  if (terminal.ask === null) throw new Refusal(`${fact} If you want that, add --yes.`);
  const answer = await terminal.ask(`${fact}\n${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new Refusal('Nothing was changed.');
}
