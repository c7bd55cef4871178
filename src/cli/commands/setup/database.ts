import { existsSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Argument, Option } from 'commander';
import { databasePlace, readRecord, withAddress, writeRecord } from '../../../app/database-address.ts';
import { refuseSession, requirePerson } from '../../../app/definitions/consent.ts';
import { requireOwnQueue } from '../../../app/require-own-queue.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { Refusal, Unusable } from '../../../domain/refusal.ts';
import { plural } from '../../../domain/text/text.ts';
import { liveness } from '../../../host/processes/process-identity.ts';
import { databasePath, findProject, type ProjectPlace } from '../../../host/project.ts';
import {
  completeAddress,
  copyDatabase,
  describePlace,
  finishHalfMove,
  inspectDatabase,
  isAddress,
  lookAtQueue,
  migrateDatabase,
  moveDatabase,
  requireNoPassword,
  takeBack,
} from '../../../queue/database.ts';
import { closeQueue, openQueue } from '../../../queue/queue.ts';
import { openRunsOf } from '../../../queue/sessions/runs.ts';
import { defineCommand, Misuse } from '../../command.ts';

type Action = 'use' | 'copy' | 'migrate' | 'status';
type Options = {
  yes?: boolean;
  force?: boolean;
  sameProject?: boolean;
  takeBack?: boolean;
  database?: string;
};

export const database = defineCommand<[action: Action, place: string | undefined], Options>({
  name: 'database',
  summary: 'keep the queue on PostgreSQL, or bring it back into a file',
  group: 'Set up',
  findsDatabase: false,
  args: [
    new Argument('[action]', 'what to do').choices(['status', 'use', 'copy', 'migrate']).default('status'),
    new Argument(
      '[place]',
      'an address, a file, "sqlite" for the file of this project, "-" for standard input',
    ),
  ],
  options: [
    new Option('--yes', 'use: do not ask'),
    new Option(
      '--same-project',
      'use: the queue is that of this project, although its history was rewritten',
    ),
    new Option('--force', 'migrate: also while runs are at work; they stop at their next step'),
    new Option('--take-back', 'use sqlite: go on with the file although the queue moved away'),
  ],
  examples: [
    'ralph database copy postgres://ralph@db.example.com/ralph?schema=shop',
    'ralph database use postgres://ralph@db.example.com/ralph?schema=shop',
    'ralph database copy sqlite',
  ],
  run: async (context, [action, word], options) => {
    const project = findProject(context.project);
    const { takeBack: isTakenBack = false } = options;
    if (options.sameProject === true && action !== 'use')
      throw new Misuse('--same-project belongs to: ralph database use ADDRESS --same-project.');
    if (options.force === true && action !== 'migrate')
      throw new Misuse('--force belongs to: ralph database migrate --force.');
    if (isTakenBack && (action !== 'use' || word !== 'sqlite'))
      throw new Misuse('--take-back belongs to: ralph database use sqlite --take-back.');
    if (action === 'status') return showStatus(await currentPlace(context, project, options), context);
    refuseSession(context, project.root, 'decides where the queue is');
    const target = await readPlace(context, project, word);
    if (action === 'migrate')
      return migrate(context, target ?? (await currentPlace(context, project, options)), options);
    if (target === null) throw new Misuse(`Name the place: ralph database ${action} ADDRESS.`);
    return action === 'use'
      ? use(context, project, target, options)
      : copy(context, project, await currentPlace(context, project, options), target);
  },
});

const currentPlace = async (
  context: CommandContext,
  { stateDir }: ProjectPlace,
  { database: chosen }: Options,
): Promise<string> => databasePlace(await withAddress(context, chosen), stateDir);

async function readPlace(
  { pipes, env, cwd }: CommandContext,
  { stateDir }: ProjectPlace,
  word: string | undefined,
): Promise<string | null> {
  if (word === undefined) return null;
  if (word === 'sqlite') return databasePath(stateDir);
  requireNoPassword(word);
  const place = word === '-' ? (await text(pipes.stdin)).trim() : word;
  return isAddress(place) ? completeAddress(place, env) : resolve(cwd, place);
}

async function showStatus(place: string, { env }: CommandContext): Promise<Output> {
  const state = await inspectDatabase(place);
  const shown = describePlace(place, env);
  const queue = state !== null && state.version === null ? null : await lookAtQueue(place);
  const lines = [
    `The queue is at ${shown}${queue === null ? ', which has no tables yet: ralph database migrate' : `, with ${plural(queue.tasks, 'task')}`}.`,
    ...(queue?.moved == null ? [] : [`It moved to ${queue.moved}, and this copy accepts no more changes.`]),
    ...(state === null
      ? []
      : [
          `PostgreSQL ${state.server}, as ${state.role}, ${state.encrypted ? 'encrypted' : 'not encrypted'}, ${state.round_trip_ms} ms away.`,
          ...(state.durable
            ? []
            : ['Its fsync is off: a power cut there loses what Ralph said is recorded.']),
        ]),
  ];
  const json = { place: shown, kind: state === null ? 'sqlite' : 'postgresql', ...state, ...queue };
  return { json, text: lines.join('\n') };
}

async function migrate(
  { env }: CommandContext,
  place: string,
  { force: isForced = false }: Options,
): Promise<Output> {
  const shown = describePlace(place, env);
  if (!isAddress(place))
    return { json: { place: shown, migrated: false }, text: `${shown} is migrated whenever Ralph opens it.` };
  const before = await migrateDatabase(place, { isForced });
  const version = (await inspectDatabase(place))?.version ?? null;
  const done =
    before === null
      ? 'Made the tables'
      : before === version
        ? 'The tables are up to date'
        : 'Brought the tables up to date';
  return {
    json: { place: shown, before, version, migrated: before !== version },
    text: `${done} at ${shown} (version ${version}).`,
  };
}

async function use(
  context: CommandContext,
  project: ProjectPlace,
  target: string,
  { yes = false, takeBack: isTakenBack = false, sameProject: isJoined = false }: Options,
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
      `The queue at ${shown} moved to ${there.moved}; use that one${target === file ? ', or go on with the file with: ralph database use sqlite --take-back' : ''}.`,
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

async function copy(
  context: CommandContext,
  project: ProjectPlace,
  source: string,
  target: string,
): Promise<Output> {
  const file = databasePath(project.stateDir);
  const shown = describePlace(target, context.env);
  await requireIdle(context, project);
  if (!isAddress(target) && target !== file) {
    if (existsSync(target)) throw new Refusal(`${target} exists; name a new file.`);
    await copyDatabase(source, target);
    return {
      json: { place: shown, moved: false },
      text: `Copied the queue to ${shown}. The queue itself stays at ${describePlace(source, context.env)}.`,
    };
  }
  if (isAddress(target) && (await inspectDatabase(target))?.version === null) await migrateDatabase(target);
  if (target === file) await setAside(file, describePlace(source, context.env));
  const { rows, tables, isResumed } = await moveDatabase(source, target, liveness);
  await writeRecord(project.stateDir, target === file ? null : target);
  const verb = isResumed ? 'Finished the move of the queue' : 'Moved the queue';
  return {
    json: { place: shown, moved: true, rows, tables: Object.fromEntries(tables) },
    text: `${verb} to ${shown}: ${plural(rows, 'row')} in ${tables.size} tables, the same in both. ${describePlace(source, context.env)} stays as it was, and accepts no more changes.`,
  };
}

/** The file that the queue had left is history now. It is kept under another name: Ralph overwrites no queue. */
async function setAside(file: string, source: string): Promise<void> {
  if (!existsSync(file)) return;
  const { moved, tasks } = await lookAtQueue(file);
  // A move that was killed left its own mark, and goes on from there.
  if (moved === source && tasks > 0) renameSync(file, `${file}.${Date.now()}.moved`);
}

/** While a run or a client works on the queue, a decision about its place would split it. */
async function requireIdle(context: CommandContext, project: ProjectPlace): Promise<void> {
  let queue: Awaited<ReturnType<typeof openQueue>>;
  try {
    queue = await openQueue(readRecord(project.stateDir) ?? databasePath(project.stateDir));
  } catch (error) {
    // A database that cannot be reached has no run that a person could wait for.
    if (error instanceof Unusable || error instanceof Refusal) return;
    throw error;
  }
  try {
    await requirePerson(context, { queue, root: project.root }, 'decides where the queue is');
    const alive = (await openRunsOf(queue)).find((run) => liveness(run) !== 'dead');
    if (alive !== undefined)
      throw new Refusal(
        `Process ${alive.pid} works on the queue${alive.host === null ? '' : ` on ${alive.host}`}; end it first.`,
      );
  } finally {
    await closeQueue(queue);
  }
}
