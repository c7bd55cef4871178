import { sql } from 'kysely';
import type { GraphTask } from '../domain/graph/picture.ts';
import type { Reader } from './database.ts';
import { dependenciesOf } from './task-dependencies.ts';
import { matches } from './tasks.ts';

/** `around`: this task, all that it waits for and all that waits for it, however far. */
export type GraphFilter = { around?: number; feature?: string };

export async function graphTasks(db: Reader, { around, feature }: GraphFilter): Promise<GraphTask[]> {
  const found = db
    .selectFrom('tasks')
    .select([
      'id',
      'title',
      'status',
      'feature',
      'discipline',
      'estimated_turns',
      'open_blockers',
      'not_before',
    ])
    .where(matches(feature === undefined ? {} : { feature }))
    .orderBy('id');
  const rows = await (around === undefined ? found : found.where('id', 'in', relatives(around))).execute();
  const dependencies = await dependenciesOf(
    db,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, depends_on: dependencies.get(row.id) ?? [] }));
}

const relatives = (id: number) => sql<number>`(
  with recursive
    past (id) as (
      select ${id}
      union
      select depends_on from task_dependencies join past on task_id = past.id
    ),
    future (id) as (
      select ${id}
      union
      select task_id from task_dependencies join future on depends_on = future.id
    )
  select id from past union select id from future
)`;
