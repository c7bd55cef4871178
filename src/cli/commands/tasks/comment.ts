import { Argument } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import { maskNotice } from '../../../queue/mask-input.ts';
import { commentedMessage, comment as commentOnTask } from '../../../queue/tasks/comment.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { taskId } from '../../parse.ts';

export const comment = defineCommand<[id: number, words: string[]]>({
  name: 'comment',
  summary: 'leave a note for the next session of a task',
  group: 'Decide',
  args: [taskId(), new Argument('<text...>', 'what the session should know')],
  examples: ['ralph comment 7 "The fixture is in test/data"'],
  run: (context, [id, words]) =>
    withProject(context, async (project) => {
      const { queue } = project;
      await requirePerson(context, project, 'comments on a task');
      const text = words.join(' ');
      const task = await commentOnTask(queue, id, text);
      return { json: task, text: `${oneLine(commentedMessage(task))}${maskNotice(queue, text)}` };
    }),
});
