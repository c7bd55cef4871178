// Which project a shared database belongs to: two projects in one schema would work on each other's tasks.
import { readMetadata, writeMetadata } from '../store/metadata.ts';
import type { Queue } from './queue.ts';

// How a project is known in a database that other machines share: by the first commits of its history. All clones have them.

/** `folder`: of the project within its repository, which may hold several. */
export type ProjectMark = { roots: readonly string[]; folder: string };

/** A history may get more first commits, by a merge of another one. */
export const isSameProject = (one: ProjectMark, other: ProjectMark): boolean =>
  one.folder === other.folder && one.roots.some((root) => other.roots.includes(root));

const joinMarks = (one: ProjectMark, other: ProjectMark): ProjectMark => ({
  roots: [...new Set([...one.roots, ...other.roots])].sort(),
  folder: other.folder,
});

const KEY = 'project';

/** Null if it has no mark yet. */
export const readMark = async ({ store }: Queue): Promise<string | null> =>
  (await store.read(readMetadata))[KEY] ?? null;

export const parseMark = (text: string): ProjectMark => JSON.parse(text) as ProjectMark;

/** Marks the database, unless another project was first. Returns the mark that it has then. */
export const markProject = (
  { store }: Queue,
  own: ProjectMark,
  /** A person says that both are one project. */
  { isJoined = false }: { isJoined?: boolean } = {},
): Promise<string> =>
  store.write(async (db) => {
    const found = (await readMetadata(db))[KEY];
    if (found !== undefined && (!isJoined || isSameProject(parseMark(found), own))) return found;
    const mark = JSON.stringify(found === undefined ? own : joinMarks(parseMark(found), own));
    await writeMetadata(db, KEY, mark);
    return mark;
  });
