// In which work tree a session was left. Its files, branch and index are there and nowhere else.
import type { Session } from './session.ts';

/** The work tree that Ralph was started in. `has`: whether another folder is still a work tree of this project. */
export type WorkTrees = { root: string; has(folder: string): boolean };

/** `lost`: the folder is gone, and what was not committed with it. */
export function whereLeft({ root }: Pick<Session, 'root'>, trees: WorkTrees): 'here' | 'elsewhere' | 'lost' {
  // Records of older versions do not say where.
  if (root === null || root === trees.root) return 'here';
  return trees.has(root) ? 'elsewhere' : 'lost';
}

export const leftElsewhereText = ({ id, task_id, root }: Pick<Session, 'id' | 'task_id' | 'root'>): string =>
  `Session ${id.slice(0, 8)} of task ${task_id} was left unfinished in ${root}; run ralph run there.`;
