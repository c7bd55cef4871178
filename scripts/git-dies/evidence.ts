// What is left after a story, read by other means than Ralph's own: SQL and git.
import { spawnSync } from 'node:child_process';
import { databasePath, findProject } from '../../src/host/project.ts';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';

export type QueueRows = {
  tasks: { id: number; status: string; attempts: number }[];
  questions: { id: number }[];
  receipts: { task_id: number; commit_id: string | null }[];
};

export function readQueue(root: string): QueueRows {
  const db = openBetterSqlite(databasePath(findProject(root).stateDir), { readonly: true });
  try {
    return {
      tasks: db.prepare<[], QueueRows['tasks'][number]>('select id, status, attempts from tasks').all(),
      questions: db
        .prepare<[], QueueRows['questions'][number]>('select id from questions where answer is null')
        .all(),
      receipts: db
        .prepare<[], QueueRows['receipts'][number]>('select task_id, commit_id from receipts')
        .all(),
    };
  } finally {
    db.close();
  }
}

export type GitLook = {
  /** What git prints; null where it fails. */
  text(...args: string[]): string | null;
  lines(...args: string[]): string[];
};

export function lookWithGit(cwd: string, env: Readonly<Record<string, string>>): GitLook {
  const text = (...args: string[]): string | null => {
    const { status, stdout } = spawnSync('git', args, { cwd, env, encoding: 'utf8' });
    return status === 0 ? stdout : null;
  };
  return { text, lines: (...args) => (text(...args) ?? '').split('\n').filter((line) => line !== '') };
}
