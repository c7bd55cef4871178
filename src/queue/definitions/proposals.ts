import type { DefinitionProposal } from '../../domain/definition.ts';
import { appendEvents } from '../../store/events.ts';
import type { Queue } from '../queue.ts';

type Recorded = Pick<DefinitionProposal, 'session_id' | 'task_id' | 'changes'>;

/** The files themselves are no part of the queue; only that something happened to them is. */
export const recordProposed = (queue: Queue, proposal: Recorded): Promise<void> =>
  record(queue, 'definitions.proposed', proposal, {});

export const recordDecided = (queue: Queue, proposal: Recorded, approved: boolean): Promise<void> =>
  record(queue, 'definitions.decided', proposal, { approved });

function record(
  queue: Queue,
  kind: 'definitions.proposed' | 'definitions.decided',
  { session_id, task_id, changes }: Recorded,
  more: object,
): Promise<void> {
  const files = changes.map(({ path }) => path);
  const at = queue.now();
  return queue.store.write((db) =>
    appendEvents(db, [{ at, kind, task_id, session_id, data: { files, ...more } }]),
  );
}
