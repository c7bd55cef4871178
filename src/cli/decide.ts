import type { Task } from '../domain/task.ts';
import { publicTask } from '../queue/list.ts';
import type { Queue } from '../queue/queue.ts';
import { type Command, defineCommand } from './command.ts';
import { taskIds } from './parse.ts';
import { withProject } from './project.ts';
import { oneLine } from './style.ts';

/** A command that says one word about each of some tasks, or about none of them. */
export function decision(
  definition: Pick<Command, 'name' | 'summary' | 'examples'>,
  decide: (queue: Queue, ids: readonly number[]) => Promise<Task[]>,
  did: string,
): Command {
  return defineCommand<[ids: number[]]>({
    ...definition,
    group: 'Decide',
    args: [taskIds()],
    run: (context, [ids]) =>
      withProject(context, async ({ queue }) => {
        const tasks = (await decide(queue, ids)).map(publicTask);
        return {
          json: tasks,
          text: tasks.map(({ id, title }) => `${did} #${id} ${oneLine(title)}.`).join('\n'),
        };
      }),
  });
}
