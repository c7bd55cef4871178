import { requirePerson } from '../../app/definitions/consent.ts';
import { type Project, withProject } from '../../app/open-project.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { publicTask } from '../../queue/tasks/list.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { type Command, defineCommand } from '../command.ts';
import { taskIds } from '../parse.ts';

/** A command that changes some tasks in the same way: all of them, or none. */
export function decision<Options extends object = object>(
  definition: Pick<Command, 'name' | 'summary' | 'examples'> & { options?: Command['options'] },
  decide: (project: Project, ids: readonly number[], options: Options) => Promise<Task[]>,
  verb: string,
): Command {
  return defineCommand<[ids: number[]], Options>({
    ...definition,
    group: 'Decide',
    args: [taskIds()],
    run: (context, [ids], options) =>
      withProject(context, async (project) => {
        await requirePerson(context, project, 'decides about tasks');
        const tasks = (await decide(project, ids, options)).map(publicTask);
        return {
          json: tasks,
          text: tasks.map(({ id, title }) => `${verb} #${id} ${oneLine(title)}.`).join('\n'),
        };
      }),
  });
}
