import { InvalidArgumentError, Option } from 'commander';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext, Output } from '../../../app/world.ts';
import { type Named, shortName } from '../../../domain/tasks/badge.ts';
import {
  parseStatusWord,
  type StateWord,
  type StatusWord,
  stateName,
  stateWord,
} from '../../../domain/tasks/status.ts';
import { PRIORITIES } from '../../../domain/tasks/task.ts';
import { plural } from '../../../domain/text/text.ts';
import { isAlive } from '../../../host/processes/process-identity.ts';
import { orphanedTasks } from '../../../queue/sessions/runs.ts';
import {
  filterForWord,
  listColumns,
  listNames,
  list as listTasks,
  type Names,
  type TaskColumns,
} from '../../../queue/tasks/list.ts';
import { type Cell, colorFormat, oneLine, statusCell } from '../../../text/terminal/style.ts';
import { type Column, table } from '../../../text/terminal/table.ts';
import { defineCommand } from '../../command.ts';

/** As people read them; the stored values are understood, too. */
const STATES = ['ready', 'waiting', 'running', 'asking', 'blocked', 'failed', 'draft', 'done', 'skipped'];

type ListOptions = { status?: StatusWord; feature?: string; tag?: string; archived?: boolean };

export const list = defineCommand<[], ListOptions>({
  name: 'list',
  summary: 'list the tasks',
  group: 'Look',
  options: [
    new Option('--status <status>', 'only tasks in this state').choices(STATES).argParser(parseState),
    new Option('--feature <name>', 'only tasks of this feature'),
    new Option('--tag <tag>', 'only tasks with this tag'),
    new Option('--archived', 'only removed tasks whose history was kept'),
  ],
  examples: ['ralph list --status failed', 'ralph list --feature auth --json', 'ralph list --tag forms'],
  run: (context, _, { status, feature, tag, archived }) =>
    withProject(context, async ({ queue }): Promise<Output> => {
      const filter = {
        ...(feature !== undefined && { feature }),
        ...(tag !== undefined && { tag }),
        ...(archived && { archived: 'only' as const }),
        ...(status !== undefined && filterForWord(status, context.now())),
      };
      if (context.asJson) return { json: await listTasks(queue, filter), text: '' };
      const columns = await listColumns(queue, filter);
      if (columns.id.length === 0) return { json: null, text: emptyText(filter) };
      const left = await orphanedTasks(queue, isAlive);
      return { json: null, text: listText(columns, context, left, await listNames(queue)) };
    }),
});

function parseState(word: string): StatusWord {
  const state = parseStatusWord(word);
  if (state === null) throw new InvalidArgumentError(`Allowed choices are ${STATES.join(', ')}.`);
  return state;
}

export const emptyText = (filter: object): string =>
  Object.keys(filter).length > 0 ? 'No such tasks.' : 'No tasks yet. Add one: ralph add "What is to be done"';

function listText(
  tasks: TaskColumns,
  { terminal, now }: CommandContext,
  left: ReadonlySet<number>,
  names: Names,
): string {
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
  const features = nameCells(tasks.feature, names.features);
  const disciplines = nameCells(tasks.discipline, names.disciplines);
  const columns: readonly Column[] = [
    { title: '#', align: 'right', digits: true, cells: tasks.id.map(String) },
    {
      title: 'STATUS',
      words: (Object.keys(counts) as StateWord[]).map(statusCell),
      cells: words.map(statusCell),
    },
    { title: 'PRIORITY', words: PRIORITIES, cells: tasks.priority },
    { title: 'FEATURE', flexible: true, ...features },
    ...(tasks.discipline.some((name) => name !== null)
      ? [{ title: 'DISCIPLINE', flexible: true, ...disciplines }]
      : []),
    { title: 'TITLE', flexible: true, cells: tasks.title.map(oneLine) },
  ];
  const summary = (Object.keys(counts) as StateWord[]).map((word) => `${counts[word]} ${stateName(word)}`);
  return `${table(columns, terminal)}\n\n${plural(tasks.id.length, 'task')}: ${summary.join(', ')}`;
}

/** One cell a name: repeated cells are drawn once. */
function nameCells(
  column: readonly (string | null)[],
  definitions: readonly (Named & { color?: string | null })[],
): Pick<Column, 'cells' | 'words'> {
  const words = new Map<string | null, Cell>([[null, { text: '-', format: 'reset' }]]);
  for (const one of definitions)
    words.set(one.name, { text: oneLine(shortName(one)), format: colorFormat(one.color ?? null) });
  const cells = column.map((name) => words.get(name) ?? '');
  return { cells, words: [...new Set(cells)] };
}
