import { type InferredDependency, inferDependencies } from '../../domain/planning/infer-dependencies.ts';
import type { Proposal } from '../../domain/planning/proposal.ts';
import { listTasks } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

/** Beyond these, files are compared with the oldest open tasks only. */
const MAX_COMPARED = 5_000;

/** The dependencies that these tasks seem to lack. A definition file alone can change those that it owns. */
export const missingDependencies = (queue: Queue, ids: readonly number[]): Promise<InferredDependency[]> =>
  queue.store.read(async (db) => {
    const open = await listTasks(db, { open: true, limit: MAX_COMPARED });
    const owned = new Set(open.filter(({ defined }) => defined?.includes('depends_on')).map(({ id }) => id));
    return inferDependencies(open, new Set(ids.filter((id) => !owned.has(id))));
  });

/** The same for the new tasks of a proposal, whose ids are its own. */
export const missingInProposal = (queue: Queue, { added }: Proposal): Promise<InferredDependency[]> =>
  queue.store.read(async (db) => {
    const ids = new Set(added.map(({ id }) => id));
    const open = (await listTasks(db, { open: true, limit: MAX_COMPARED })).filter(({ id }) => !ids.has(id));
    const planned = added.map(({ id, fields, depends_on }) => ({ ...fields, id, depends_on }));
    return inferDependencies([...open, ...planned], ids);
  });
