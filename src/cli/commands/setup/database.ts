import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Argument, Option } from 'commander';
import { databasePlace, withAddress } from '../../../app/database-address.ts';
import { refuseSession } from '../../../app/definitions/consent.ts';
import type { CommandContext } from '../../../app/world.ts';
import { databasePath, findProject, type ProjectPlace } from '../../../host/project.ts';
import { completeAddress, isAddress, requireNoPassword } from '../../../queue/database.ts';
import { defineCommand, Misuse } from '../../command.ts';
import { moveQueue } from '../../database/move-queue.ts';
import { migratePlace, showPlace } from '../../database/show-place.ts';
import { type UseOptions, usePlace } from '../../database/use-place.ts';

type Action = 'use' | 'copy' | 'migrate' | 'status';
type Options = UseOptions & { force?: boolean; database?: string };

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
      'use: accept the queue as that of this project, although the git history was rewritten',
    ),
    new Option('--force', 'migrate: also while runs are at work; they stop at their next step'),
    new Option('--take-back', 'use sqlite: continue with the file although the queue moved away'),
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
    if (action === 'status') return showPlace(await currentPlace(context, project, options), context);
    refuseSession(context, project.root, 'decides where the queue is');
    const target = await readPlace(context, project, word);
    if (action === 'migrate')
      return migratePlace(
        context,
        target ?? (await currentPlace(context, project, options)),
        options.force === true,
      );
    if (target === null) throw new Misuse(`Name the place: ralph database ${action} ADDRESS.`);
    return action === 'use'
      ? usePlace(context, project, target, options)
      : moveQueue(context, project, await currentPlace(context, project, options), target);
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
