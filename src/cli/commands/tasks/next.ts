import { withProject } from '../../../app/open-project.ts';
import { peek } from '../../../queue/tasks/status.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';

export const next = defineCommand<[]>({
  name: 'next',
  summary: 'show the task that a run would take next',
  group: 'Look',
  examples: ['ralph next'],
  run: (context) =>
    withProject(context, async ({ queue }) => {
      const task = await peek(queue);
      const text =
        task === null
          ? 'Nothing is ready; ralph status says what is missing.'
          : `#${task.id} ${oneLine(task.title)}`;
      return { json: task, text };
    }),
});
