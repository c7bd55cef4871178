// Which project a shared database belongs to: two projects in one schema would work on each other's tasks.
import { isSameProject, joinMarks, type ProjectMark } from '../domain/project-mark.ts';
import { readMetadata, writeMetadata } from '../store/metadata.ts';
import type { Queue } from './queue.ts';

const KEY = 'project';

/** Null if nobody has marked it yet. */
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
