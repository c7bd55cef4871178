import { Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import { nameTasks } from '../../../domain/tasks/task.ts';
import type { Entry } from '../../../project/definitions/edit-files.ts';
import { readConfig } from '../../../project/read-config.ts';
import {
  checkTaskRemoval,
  type Removal,
  type RemovedTask,
  removeTasks,
  repoint,
} from '../../../queue/tasks/remove.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { changedFilesText, changeFiles } from '../../definitions/change-files.ts';
import { parseId, taskIds } from '../../parse.ts';

export const remove = defineCommand<[ids: number[]], { replaceWith?: number; yes?: boolean }>({
  name: 'remove',
  summary: 'remove tasks; one that has a history is archived',
  group: 'Decide',
  args: [taskIds()],
  options: [
    new Option('--replace-with <id>', 'the task that others wait for instead').argParser(parseId),
    new Option('--yes', 'change a definition file without asking, if it defines the task'),
  ],
  examples: ['ralph remove 7', 'ralph remove 7 --replace-with 9', 'ralph list --archived'],
  run: (context, [ids], { replaceWith = null, yes = false }) =>
    withProject(context, async (project) => {
      await requirePerson(context, project, 'removes tasks');
      const { queue, root } = project;
      const removal = { ids, replacement: replaceWith };
      const inFile = await checkTaskRemoval(queue, removal);
      const defined = [...inFile.tasks, ...inFile.dependents];
      const verify = (await readConfig(root)).verify_feature;
      let removed: RemovedTask[] = [];
      const files = await changeFiles(
        context,
        project,
        {
          subject: nameTasks(defined).toLowerCase(),
          edits:
            defined.length === 0
              ? []
              : [{ kind: 'tasks', change: (entry) => edit(entry, inFile.tasks, removal) }],
          yes,
        },
        async () => {
          removed = await removeTasks(queue, removal, { verify });
        },
      );
      return { json: removed, text: `${removed.map(removedLine).join('\n')}${changedFilesText(files)}` };
    }),
});

/** The entry of a removed task goes; others no longer wait for it. */
function edit(
  entry: Entry,
  removed: readonly { id: number; title: string }[],
  removal: Removal,
): Entry | null {
  const { id, title, depends_on } = entry;
  // Without a number, a title says which task it is.
  if (removed.some((task) => (id === undefined ? task.title === title : task.id === id))) return null;
  if (!Array.isArray(depends_on) || !depends_on.some((one) => removal.ids.includes(one))) return entry;
  return { ...entry, depends_on: repoint(depends_on, removal) };
}

const removedLine = ({ id, title, archived }: RemovedTask): string =>
  archived
    ? `Archived #${id} ${oneLine(title)}: it has a history, which ralph show ${id} shows.`
    : `Removed #${id} ${oneLine(title)}.`;
