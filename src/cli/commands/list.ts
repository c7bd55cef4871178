import { InvalidArgumentError, Option } from 'commander';
import { withProject } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import {
  parseStatusWord,
  type StateWord,
  type StatusWord,
  stateName,
  stateWord,
} from '../../domain/tasks/status-word.ts';
import { PRIORITIES } from '../../domain/tasks/task.ts';
import { plural } from '../../domain/text/text.ts';
import { isAlive } from '../../host/processes/process-identity.ts';
import { orphanedTasks } from '../../queue/sessions/runs.ts';
import { filterForWord, listColumns, list as listTasks, type TaskColumns } from '../../queue/tasks/list.ts';
import { oneLine, statusCell } from '../../text/terminal/style.ts';
import { type Column, table } from '../../text/terminal/table.ts';
import { defineCommand } from '../command.ts';

/** As people read them; the stored values are understood, too. */
const STATES = ['ready', 'waiting', 'running', 'asking', 'blocked', 'failed', 'draft', 'done', 'skipped'];

export const list = defineCommand<[], { status?: StatusWord; feature?: string; archived?: boolean }>({
  name: 'list',
  summary: 'list the tasks',
  group: 'Look',
  options: [
    new Option('--status <status>', 'only tasks in this state').choices(STATES).argParser(parseState),
    new Option('--feature <name>', 'only tasks of this feature'),
    new Option('--archived', 'only removed tasks whose history was kept'),
  ],
  examples: ['ralph list --status failed', 'ralph list --feature auth --json'],
  run: (context, _, { status, feature, archived }) =>
    withProject(context, async ({ queue }): Promise<Output> => {
      const filter = {
        ...(feature !== undefined && { feature }),
        ...(archived && { archived: 'only' as const }),
        ...(status !== undefined && filterForWord(status, context.now())),
      };
      if (context.asJson) return { json: await listTasks(queue, filter), text: '' };
      const columns = await listColumns(queue, filter);
      if (columns.id.length === 0) return { json: null, text: emptyText(filter) };
      return { json: null, text: listText(columns, context, await orphanedTasks(queue, isAlive)) };
    }),
});

function parseState(word: string): StatusWord {
  const state = parseStatusWord(word);
  if (state === null) throw new InvalidArgumentError(`Allowed choices are ${STATES.join(', ')}.`);
  return state;
}

export const emptyText = (filter: object): string =>
  Object.keys(filter).length > 0 ? 'No such tasks.' : 'No tasks yet. Add one: ralph add "What is to be done"';

function listText(tasks: TaskColumns, { terminal, now }: CommandContext, left: ReadonlySet<number>): string {
  const at = now();
  const words = tasks.status.map((status, index) =>
    stateWord(
      { status, open_blockers: tasks.open_blockers[index] ?? 0, not_before: tasks.not_before[index] ?? null },
      at,
      left.has(tasks.id[index] ?? 0),
    ),
  );
  const counts: Partial<Record<StateWord, number>> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  const features = tasks.feature.map((feature) => (feature === null ? '-' : oneLine(feature)));
  const columns: readonly Column[] = [
    { title: '#', align: 'right', digits: true, cells: tasks.id.map(String) },
    {
      title: 'STATUS',
      words: (Object.keys(counts) as StateWord[]).map(statusCell),
      cells: words.map(statusCell),
    },
    { title: 'PRIORITY', words: PRIORITIES, cells: tasks.priority },
    { title: 'FEATURE', flexible: true, words: [...new Set(features)], cells: features },
    { title: 'TITLE', flexible: true, cells: tasks.title.map(oneLine) },
  ];
  const summary = (Object.keys(counts) as StateWord[]).map((word) => `${counts[word]} ${stateName(word)}`);
  return `${table(columns, terminal)}\n\n${plural(tasks.id.length, 'task')}: ${summary.join(', ')}`;
}
