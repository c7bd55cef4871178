import { Argument, Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { type Flag, flagText } from '../../../domain/tasks/flag.ts';
import { localTime } from '../../../domain/text/amounts.ts';
import { readConfig } from '../../../project/read-config.ts';
import { closedMessage, closeFlags, listFlags } from '../../../queue/tasks/flags.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand, Misuse } from '../../command.ts';
import { parseCount, parseId } from '../../parse.ts';

type FlagOptions = { all?: boolean; note?: string; limit: number };

export const flag = defineCommand<[action: string | undefined, ids: number[] | undefined], FlagOptions>({
  name: 'flag',
  summary: 'list the problems and suggestions that agents left for you, or close them',
  group: 'Decide',
  args: [
    new Argument('[action]', 'what to do').choices(['list', 'close']).default('list'),
    new Argument('[flags...]', 'for close: numbers of flags').argParser(collectFlags),
  ],
  options: [
    new Option('--all', 'list: closed ones, too, newest first'),
    new Option('--limit <n>', 'list at most this many').argParser(parseCount).default(100),
    new Option('--note <text>', 'close: what came of it; the next session of a task that waited gets it'),
  ],
  examples: ['ralph flag list', 'ralph flag close 3', 'ralph flag close 3 --note "Fixed in main"'],
  run: (context, [action, ids = []], { all = false, limit, note = '' }) =>
    withProject(context, async (project) => {
      const { queue, root } = project;
      if (action !== 'close') {
        if (ids.length > 0 || note !== '') throw new Misuse('To close flags: ralph flag close 3.');
        const flags = await listFlags(queue, limit, { all });
        return { json: flags, text: flagsText(flags, context) };
      }
      await requirePerson(context, project, 'closes a flag');
      if (ids.length === 0) throw new Misuse('Say which flags: ralph flag close 3 4.');
      const verify = (await readConfig(root)).verify_feature;
      const closed = await closeFlags(queue, ids, { note, verify });
      return {
        json: closed,
        text: closed.map((one) => oneLine(closedMessage(one, context.now()))).join('\n'),
      };
    }),
});

function collectFlags(word: string, earlier: number[] | undefined): number[] {
  return [...(earlier ?? []), parseId(word.replace(/^f/i, ''))];
}

function flagsText(flags: readonly Flag[], { terminal }: Pick<CommandContext, 'terminal'>): string {
  if (flags.length === 0) return 'There are no open flags; ralph flag list --all shows closed ones.';
  return flags
    .flatMap((one) => [
      `F${one.id}  ${one.severity}  #${one.task_id}  ${localTime(one.created)}${one.closed === null ? '' : `  closed ${localTime(one.closed)}`}`,
      `    ${oneLine(flagText(one))}`,
      ...(one.note === null ? [] : [`    You said: ${oneLine(one.note)}`]),
    ])
    .map((line) => wrap(line, terminal.columns))
    .join('\n');
}
