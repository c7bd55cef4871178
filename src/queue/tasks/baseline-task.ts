// The task that makes red gates green before anything else is worked on.

import type { GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { isSatisfied } from '../../domain/tasks/status.ts';
import { keepable } from '../../domain/text/text.ts';
import { findTasksByTitle } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { addWithin } from './add.ts';
import { retryTask } from './decide.ts';

/** Answers with its number. One that an earlier run made and nobody has finished is taken again, also where it failed. */
export function addBaselineTask(queue: Queue, red: readonly GateResult[]): Promise<number> {
  const names = red.map(({ name }) => name);
  const title = `Make the ${names.length === 1 ? 'gate' : 'gates'} ${names.join(', ')} pass`;
  const outputs = red.map((gate) => `${gate.name} (${gate.command}): ${firstFailure(gate)}\n\n${gate.tail}`);
  const at = queue.now();
  return queue.store.write(async (db) => {
    const open = (await findTasksByTitle(db, title)).find(({ status }) => !isSatisfied(status));
    if (open?.status === 'failed') await retryTask(db, open, at);
    if (open !== undefined) return open.id;
    const [task] = await addWithin(
      db,
      [
        {
          title,
          description: keepable(
            `These gates fail before any work has begun. Find the cause and repair it, be it in the project's files or in what is installed; do not change what the gates check. It is done when they pass.\n\n${outputs.join('\n\n')}`,
          ),
          // What the gates lack may lie outside of the tree, as dependencies do.
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
