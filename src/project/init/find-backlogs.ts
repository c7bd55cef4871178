// Finds what a repository already has to do: files of other tools, and folders with specifications.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { plural } from '../../domain/text/text.ts';
import { findFiles } from '../../files/find-files.ts';
import { leavesProject } from '../../files/own-file.ts';
import { readText } from '../../files/read-text.ts';

/**
 * `path`: what `command` is to read. `tasks`: how many a file holds; null if only `command` can tell. `canMirror`: Ralph can keep
 * the file equal to the queue.
 */
export type FoundBacklog = {
  path: string;
  command: 'import' | 'plan';
  tasks: number | null;
  canMirror: boolean;
};

/** The file that Ralph can also write. */
const IMPLEMENTATION = 'implementation.json';
const SPECS = 'specs';
const PLACES = [
  IMPLEMENTATION,
  'prd.json',
  'feature_list.json',
  '.taskmaster/tasks/tasks.json',
  '.beads/issues.jsonl',
  'backlog',
  '.kiro/specs',
  'openspec/changes',
  '.claude/epics',
  SPECS,
];

export async function findBacklogs(root: string): Promise<FoundBacklog[]> {
  const found: FoundBacklog[] = [];
  for (const path of PLACES) {
    const tasks = await countTasks(root, path);
    if (tasks !== 0) found.push({ path, command: 'import', tasks, canMirror: path === IMPLEMENTATION });
  }
  // With checklists beside its documents it is imported.
  const hasChecklists = found.some(({ path }) => path === SPECS);
  if (!hasChecklists && (await hasDocuments(root, SPECS)))
    found.push({ path: SPECS, command: 'plan', tasks: null, canMirror: false });
  return found;
}

/** 0 if there is no such file; null for a file that cannot be read: its import says why. */
async function countTasks(root: string, path: string): Promise<number | null> {
  if (leavesProject(root, path)) return 0;
  try {
    if (!existsSync(join(root, path))) return 0;
    // Imported late: most projects have no such file.
    const { readBacklog, recognise } = await import('../exchange/import/index.ts');
    if (statSync(join(root, path)).isDirectory()) return await countInFolder(root, path);
    const text = await readText(join(root, path), path);
    if (text === undefined || text.trim() === '') return 0;
    const format = recognise(text, path);
    return format === 'yaml' ? null : readBacklog(text, path, format).tasks.length;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function countInFolder(root: string, path: string): Promise<number> {
  const { readBacklogsIn } = await import('../exchange/import/folders/index.ts');
  const { readSourceFolder } = await import('../exchange/import/folders/source-folder.ts');
  const backlogs = readBacklogsIn(await readSourceFolder(root, join(root, path), path)) ?? [];
  return backlogs.reduce((sum, { tasks }) => sum + tasks.length, 0);
}

async function hasDocuments(root: string, path: string): Promise<boolean> {
  const found = await findFiles(root, path);
  return found.some((one) => one.kind === 'file' && /\.(md|markdown)$/i.test(one.path));
}

/** As the rest of a sentence such as "There is no task yet, but". */
export function backlogText({ path, command, tasks }: FoundBacklog): string {
  if (command === 'plan') return `${path}/ has documents; make tasks of them: ralph plan ${path}`;
  return tasks === null
    ? `${path} is there; bring in what it has: ralph import ${path}`
    : `${path} has ${plural(tasks, 'task')}; bring ${tasks === 1 ? 'it' : 'them'} in: ralph import ${path}`;
}
