// What the database says is at work at this moment.
import { join } from 'node:path';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';

export function hasOpen(root: string, table: 'runs' | 'sessions', which = 'true'): boolean {
  const db = openBetterSqlite(join(root, '.git/ralph/ralph.db'), { readonly: true });
  try {
    return db.prepare(`select 1 from ${table} where ended is null and ${which}`).get() !== undefined;
  } finally {
    db.close();
  }
}

/** A process has no row before its run has begun, and an ended one while it closes what it has open. */
export const hasOpenRun = (root: string, pid: number): boolean => hasOpen(root, 'runs', `pid = ${pid}`);
