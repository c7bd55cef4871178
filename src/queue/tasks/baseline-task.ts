// The task that makes failing gates pass before Ralph works on any other task.

import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { toStorable } from '../../domain/text/text.ts';
import { findTasksByTitle } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { addTasksWithin } from './add.ts';
import { retryTask } from './decide.ts';

/** Returns the task's id. Reuses the open task of an earlier run; a failed one is retried. */
export function addBaselineTask(queue: Queue, red: readonly GateResult[]): Promise<number> {
  const names = red.map(({ name }) => name);
  const title = `Make the ${names.length === 1 ? 'gate' : 'gates'} ${names.join(', ')} pass`;
  const outputs = red.map((gate) => `${gate.name} (${gate.command}): ${firstFailure(gate)}\n\n${gate.tail}`);
  const at = queue.now();
  return queue.store.write(async (db) => {
    const open = (await findTasksByTitle(db, title)).find(({ status }) => !isSatisfied(status));
    if (open?.status === 'failed') await retryTask(db, open, at);
    if (open !== undefined) return open.id;
    const [task] = await addTasksWithin(
      db,
      [
        {
          title,
          description: toStorable(
            `These gates fail before any work has begun. Find the cause and repair it: it may be in the project's files or in what is installed. Do not change what the gates check. The task is done when they pass.\n\n${outputs.join('\n\n')}`,
          ),
          // The repair may change no file of the tree, for example if dependencies are missing.
          kind: 'investigate',
          priority: 'critical',
          provenance: 'system',
          tags: ['baseline'],
        },
      ],
      {},
      at,
    );
    if (task === undefined) throw new Error('addWithin answered with nothing');
    return task.id;
  });
}
