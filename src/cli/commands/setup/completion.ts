import { Argument } from 'commander';
import { withQueue } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import type { Queue } from '../../../queue/queue.ts';
import { listSessions } from '../../../queue/sessions/sessions.ts';
import { allFeatures } from '../../../queue/tasks/features.ts';
import { listAllDisciplines, listColumns } from '../../../queue/tasks/list.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { clip } from '../../../text/terminal/table.ts';
import { type Command, defineCommand } from '../../command.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

export const completion = defineCommand<[shell: (typeof SHELLS)[number]]>({
  name: 'completion',
  summary: 'print a completion script for your shell: commands, options, task numbers',
  group: 'Set up',
  args: [new Argument('<shell>', 'which shell').choices(SHELLS)],
  examples: [
    'source <(ralph completion bash)',
    'ralph completion fish > ~/.config/fish/completions/ralph.fish',
  ],
  run: async (_, [shell]) => {
    const { RootCommand } = await import('@bomb.sh/tab');
    const script = capturePrint(() => new RootCommand().setup('ralph', 'ralph', shell)).trimEnd();
    return { json: { shell, script }, text: script };
  },
});

/** The script of `completion` calls this at every press of the Tab key. */
export async function suggest(
  commands: readonly Command[],
  words: readonly string[],
  context: CommandContext,
): Promise<string> {
  const names = await readNames(context, words[0] === 'log');
  const { RootCommand } = await import('@bomb.sh/tab');
  const root = new RootCommand();
  for (const { name, summary, args, options } of commands) {
    const command = root.command(name, summary);
    for (const option of options) {
      const { long, description, argChoices, required } = option;
      const offers = argChoices?.map(plainOffer) ?? names[option.attributeName()] ?? [];
      const complete = (offer: Offer): void => offers.forEach((one) => void offer(...one));
      if (long !== undefined && long !== null)
        command.option(long.slice(2), description, ...(required ? [complete] : []));
    }
    for (const argument of args) {
      const offers =
        argument.argChoices?.map(plainOffer) ?? names[argument.name().replace(/^ids$/, 'id')] ?? [];
      command.argument(
        argument.name(),
        (offer) => offers.forEach((one) => void offer(...one)),
        argument.variadic,
      );
    }
  }
  return capturePrint(() => root.parse([...words]));
}

type Offer = (value: string, description: string) => void;
type Suggestion = [value: string, description: string];
const plainOffer = (choice: string): Suggestion => [choice, ''];

/** By the name of the argument or option. Empty instead of an error: a message would break into the command line. */
async function readNames(
  context: CommandContext,
  isAboutSessions: boolean,
): Promise<Readonly<Record<string, Suggestion[]>>> {
  try {
    const silent = { ...context, pipes: { ...context.pipes, log: () => {} } };
    return await withQueue(silent, async ({ queue }) =>
      isAboutSessions
        ? { session: await sessionIds(queue) }
        : {
            id: await taskNumbers(queue),
            feature: await featureNames(queue),
            discipline: await disciplineNames(queue),
          },
    );
  } catch {
    return {};
  }
}

const TITLE_COLUMNS = 60;

async function taskNumbers(queue: Queue): Promise<Suggestion[]> {
  const { id, title } = await listColumns(queue, {});
  return id.map((number, index) => [String(number), clip(oneLine(title[index] ?? ''), TITLE_COLUMNS)]);
}

async function featureNames(queue: Queue): Promise<Suggestion[]> {
  const features = await allFeatures(queue);
  return features.map(({ feature: { name, display_name } }) => [name, oneLine(display_name ?? '')]);
}

async function disciplineNames(queue: Queue): Promise<Suggestion[]> {
  const disciplines = await listAllDisciplines(queue);
  return disciplines.map(({ name, display_name }) => [name, oneLine(display_name ?? '')]);
}

async function sessionIds(queue: Queue): Promise<Suggestion[]> {
  const { sessions } = await listSessions(queue, {}, 100);
  return sessions.map(({ id, task_id, title }) => [id, clip(`#${task_id} ${oneLine(title)}`, TITLE_COLUMNS)]);
}

/** The library prints to the console; a command returns its text. */
function capturePrint(work: () => void): string {
  const lines: string[] = [];
  const { log } = console;
  console.log = (line: string) => void lines.push(line);
  try {
    work();
  } finally {
    console.log = log;
  }
  return lines.join('\n');
}
