import { Option } from 'commander';
import { STATUSES, type Status } from '../domain/task.ts';
import { listColumns, list as listTasks, type TaskColumns } from '../queue/list.ts';
import { type CommandContext, defineCommand, type Output } from './command.ts';
import { withProject } from './project.ts';
import { oneLine, plural, type StatusWord, statusCell, statusWord } from './style.ts';
import { type Column, table } from './table.ts';

export const list = defineCommand<[], { status?: Status | 'ready' | 'waiting'; feature?: string }>({
  name: 'list',
  summary: 'list the tasks',
  group: 'Look',
  options: [
    new Option('--status <status>', 'only those in this status').choices(['ready', 'waiting', ...STATUSES]),
    new Option('--feature <name>', 'only those of this feature'),
  ],
  examples: ['ralph list --status failed', 'ralph list --feature auth --json'],
  run: (context, _, { status, feature }) =>
    withProject(context, async ({ queue }): Promise<Output> => {
      const filter = {
        ...(feature !== undefined && { feature }),
        ...(status === 'ready' || status === 'waiting'
          ? { ready: { is: status === 'ready', at: context.now() } }
          : status !== undefined && { status }),
      };
      if (context.asJson) return { json: await listTasks(queue, filter), text: '' };
      const columns = await listColumns(queue, filter);
      const text = columns.id.length === 0 ? emptyText(filter) : listText(columns, context);
      return { json: null, text };
    }),
});

const emptyText = (filter: object): string =>
  Object.keys(filter).length > 0 ? 'No such tasks.' : 'No tasks yet. Add one: ralph add "What is to be done"';

function listText(tasks: TaskColumns, { terminal, now }: CommandContext): string {
  const at = now();
  const counts = new Map<StatusWord, number>();
  const states = tasks.status.map((status, index) => {
    const word = statusWord(status, tasks.open_blockers[index] ?? 0, tasks.not_before[index] ?? null, at);
    counts.set(word, (counts.get(word) ?? 0) + 1);
    return statusCell(word);
  });
  const columns: readonly Column[] = [
    { title: '#', align: 'right', cells: tasks.id.map(String) },
    { title: 'STATUS', repeats: true, cells: states },
    { title: 'PRIORITY', repeats: true, cells: tasks.priority },
    {
      title: 'FEATURE',
      repeats: true,
      flexible: true,
      cells: tasks.feature.map((feature) => (feature === null ? '-' : oneLine(feature))),
    },
    { title: 'TITLE', flexible: true, cells: tasks.title.map(oneLine) },
  ];
  const summary = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
  return `${table(columns, terminal)}\n\n${plural(tasks.id.length, 'task')}: ${summary}`;
}
