import { Argument, Option } from 'commander';
import { requirePersonOrProgram } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import { requireAgents } from '../../../project/require-agents.ts';
import { maskNotice } from '../../../queue/mask-input.ts';
import { addTask } from '../../../queue/tasks/add.ts';
import { publicTask } from '../../../queue/tasks/list.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { type TaskOptions, taskOptions, toEdit } from '../../parse.ts';

export const add = defineCommand<[words: string[]], TaskOptions & { draft?: boolean }>({
  name: 'add',
  summary: 'add a task to the queue',
  group: 'Work',
  args: [new Argument('<title...>', 'what to do, in a few words; quotes are optional')],
  options: [...taskOptions(), new Option('--draft', 'keep it out of the queue until you approve it')],
  examples: [
    'ralph add "Rate-limit the login endpoint" --feature auth --priority high',
    'ralph add Document it --depends-on 7',
  ],
  run: (context, [words], { draft = false, ...options }) =>
    withProject(context, async (project) => {
      await requirePersonOrProgram(context, project, 'adds a task');
      const { queue, root } = project;
      const input = { ...toEdit(options), title: words.join(' ') };
      await requireAgents(root, [input.agent]);
      const task = publicTask(await addTask(queue, { ...input, draft }));
      return {
        json: task,
        text: `Added #${task.id} ${oneLine(task.title)}${draft ? ` as a draft; ralph approve ${task.id} queues it` : ''}.${maskNotice(queue, input)}`,
      };
    }),
});
