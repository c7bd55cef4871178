// PostgreSQL finds tasks without a time in the index `tasks_ready`, but not in its order: it would sort all of them for every claim.
import type { Migration } from './migration.ts';

export const claims: Migration = {
  sqlite: '',
  postgres: `
create index tasks_claim on tasks (priority_rank, feature_rank, id)
  where status = 'pending' and open_blockers = 0 and not_before is null;
`,
};
