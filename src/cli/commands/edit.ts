import { Option } from 'commander';
import { withProject } from '../../app/open-project.ts';
import { requirePerson } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { maskNotice } from '../../queue/mask-input.ts';
import { editTask } from '../../queue/tasks/edit.ts';
import { publicTask } from '../../queue/tasks/list.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { defineCommand } from '../command.ts';
import { type TaskOptions, taskId, taskOptions, toEdit } from '../parse.ts';

export const edit = defineCommand<[id: number], TaskOptions>({
  name: 'edit',
  summary: 'change a task',
  group: 'Work',
  args: [taskId()],
  options: [new Option('--title <title>', 'what to do, in a few words'), ...taskOptions()],
  examples: [
    'ralph edit 7 --priority critical',
    'ralph edit 7 --depends-on 3,5',
    'ralph edit 7 --depends-on "" --feature ""',
  ],
  run: (context, [id], options) => {
    const change = toEdit(options);
    if (Object.keys(change).length === 0)
      throw new Refusal('Nothing to change; say what, such as --priority high.');
    return withProject(context, async ({ queue }) => {
      requirePerson(context, 'changes a task');
      const task = publicTask(await editTask(queue, id, change));
      return { json: task, text: `Changed #${task.id} ${oneLine(task.title)}.${maskNotice(queue, change)}` };
    });
  },
});
