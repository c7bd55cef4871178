// What must hold of a disk after the power failed.
import { spawnSync } from 'node:child_process';
import { databasePath, findProject } from '../../src/host/project.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';

export type DiskLook = { receipts: number; broken: string[] };

export function lookAtDisk(root: string, env: Readonly<Record<string, string>>): DiskLook {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, env, encoding: 'utf8' });
  let receipts: { task_id: number; commit_id: string }[];
  try {
    receipts = readReceipts(root);
  } catch (error) {
    return { receipts: 0, broken: [`the database cannot be read: ${error}`] };
  }
  const unreadable = receipts
    .filter(({ commit_id }) => git('cat-file', '-p', commit_id).status !== 0)
    .map(({ task_id, commit_id }) => `the commit ${commit_id} of task ${task_id} cannot be read`);
  const fsck = git('fsck', '--strict', '--no-dangling');
  const damage =
    fsck.status === 0 ? [] : [`git fsck: ${fsck.stderr.trim().split('\n').slice(0, 3).join(' | ')}`];
  return { receipts: receipts.length, broken: [...unreadable, ...damage] };
}

function readReceipts(root: string): { task_id: number; commit_id: string }[] {
  const db = openBetterSqlite(databasePath(findProject(root).stateDir));
  try {
    const [row] = db.prepare<[], { integrity_check: string }>('pragma integrity_check').all();
    if (row?.integrity_check !== 'ok') throw new Error(row?.integrity_check);
    const query = 'select task_id, commit_id from receipts where commit_id is not null';
    return db.prepare<[], { task_id: number; commit_id: string }>(query).all();
  } finally {
    db.close();
  }
}
