import { Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { type Project, withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { Refusal } from '../../../domain/refusal.ts';
import type { Entry } from '../../../project/definitions/edit-files.ts';
import { requireAgents } from '../../../project/require-agents.ts';
import { maskNotice } from '../../../queue/mask-input.ts';
import { editTask, isTaskInFile, type TaskEdit } from '../../../queue/tasks/edit.ts';
import { getTask, publicTask } from '../../../queue/tasks/list.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { changedFilesText, changeFiles } from '../../definitions/change-files.ts';
import { withValues } from '../../definitions/definition-command.ts';
import { type TaskOptions, taskId, taskOptions, toEdit } from '../../parse.ts';

const DEFINED = new Option('--yes', 'change a definition file without asking, if it defines the task');

export const edit = defineCommand<[id: number], TaskOptions & { yes?: boolean }>({
  name: 'edit',
  summary: 'change a task',
  group: 'Work',
  args: [taskId()],
  options: [new Option('--title <title>', 'what to do, in a few words'), ...taskOptions(), DEFINED],
  examples: [
    'ralph edit 7 --priority critical',
    'ralph edit 7 --depends-on 3,5',
    'ralph edit 7 --depends-on "" --feature ""',
  ],
  run: (context, [id], { yes = false, ...options }) => {
    const change = toEdit(options);
    if (Object.keys(change).length === 0)
      throw new Refusal('Nothing to change; say what, such as --priority high.');
    return withProject(context, async (project) => {
      const { queue } = project;
      await requirePerson(context, project, 'changes a task');
      await requireAgents(project.root, [change.agent]);
      const files = await editDefined(context, project, id, change, yes);
      const task = publicTask(
        files.length > 0 ? await getTask(queue, id) : await editTask(queue, id, change),
      );
      const text = `Changed #${task.id} ${oneLine(task.title)}.${changedFilesText(files)}`;
      return { json: task, text: `${text}${maskNotice(queue, change)}` };
    });
  },
});

/** Changes the entry of a definition file, if that gives one of the changed fields. Returns the changed files. */
async function editDefined(
  context: CommandContext,
  project: Project,
  id: number,
  change: TaskEdit,
  yes: boolean,
): Promise<readonly string[]> {
  const { title } = await getTask(project.queue, id);
  if (!(await isTaskInFile(project.queue, id, change))) return [];
  // With its number the entry stays the same task under a new title.
  const values = {
    id,
    ...Object.fromEntries(
      Object.entries(change).map(([name, value]) => [name, isEmpty(value) ? null : value]),
    ),
  };
  const isEntry = (entry: Entry): boolean =>
    entry['id'] === undefined ? entry['title'] === title : entry['id'] === id;
  const edits = [
    {
      kind: 'tasks' as const,
      change: (entry: Entry) => (isEntry(entry) ? withValues(entry, values) : entry),
    },
  ];
  return changeFiles(context, project, { subject: `task ${id}`, edits, yes });
}

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
