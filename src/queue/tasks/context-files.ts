// Context files beside those that people define. Files that many sessions of a feature touch become its context files: when a
// person approves them, or always (`auto_context`). A session adds files to its task or its feature; a person removes those of a
// feature.

import { Refusal } from '../../domain/refusal.ts';
import type { AddedFile } from '../../domain/tasks/feature.ts';
import { plural, requireStorable } from '../../domain/text/text.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import {
  insertAddedFile,
  insertTouchedFiles,
  oftenTouchedFiles,
  removeAddedFile,
  removedFiles,
  type TouchedFile,
} from '../../store/tasks/feature-files.ts';
import { listFeatures, type StoredFeature, saveFeature } from '../../store/tasks/features.ts';
import { type StoredTask, updateTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { requireFeature } from '../require.ts';
import { requireLive } from '../sessions/live-session.ts';

/** Not 2: two sessions may be one task and its retry. */
const MIN_SESSIONS = 3;
/** More files would crowd a session's context. */
const MAX_FEATURE_FILES = 20;

export type { TouchedFile };

export const suggestedFiles = (queue: Queue, feature?: string): Promise<TouchedFile[]> =>
  queue.store.read(async (db) => (await suggestions(db, feature)).flatMap(({ files }) => files));

/** `theirs`: files of features whose context files a definition file owns; only a person can add them there. */
type ApprovedFiles = { added: TouchedFile[]; theirs: TouchedFile[] };

export function approveFiles(
  queue: Queue,
  /** Whether Ralph may show the file to an agent; the caller can read the disk, the queue cannot. */
  isFit: (path: string) => boolean,
  feature?: string,
): Promise<ApprovedFiles> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const approved: ApprovedFiles = { added: [], theirs: [] };
    for (const { of, files } of await suggestions(db, feature)) {
      const fit = files.filter(({ path }) => isFit(path));
      if (isDefined(of)) approved.theirs.push(...fit);
      else approved.added.push(...(await addFiles(db, of, fit, at)));
    }
    return approved;
  });
}

/** One sentence per file, the same on every screen. */
export function approvedFileMessages({ added, theirs }: ApprovedFiles): string[] {
  const named = ({ feature, path, sessions }: TouchedFile): string =>
    `${feature}: ${path} (${plural(sessions, 'session')})`;
  const messages = [
    ...added.map((file) => `${named(file)} is now given to every session of this feature.`),
    ...theirs.map(
      (file) => `${named(file)}: add it to context_files in .ralph/features.yaml; only you change that file.`,
    ),
  ];
  return messages.length > 0 ? messages : ['Sessions touch no other file often enough to suggest it.'];
}

export async function growContextFiles(db: Writer, feature: string, at: number): Promise<void> {
  for (const { of, files } of await suggestions(db, feature))
    if (!isDefined(of)) await addFiles(db, of, files, at);
}

type Suggestion = { of: StoredFeature; files: TouchedFile[] };

/** Of one feature, or of all: one query finds the files. */
async function suggestions(db: Reader, feature?: string): Promise<Suggestion[]> {
  const features = feature === undefined ? await listFeatures(db) : [await requireFeature(db, feature)];
  const touched = await oftenTouchedFiles(db, MIN_SESSIONS, feature);
  const found: Suggestion[] = [];
  for (const of of features) {
    const unwanted = await removedFiles(db, of.name);
    const files = touched.filter(
      ({ feature: name, path }) => name === of.name && !isGiven(of, path) && !unwanted.includes(path),
    );
    const room = MAX_FEATURE_FILES - of.context_files.length;
    found.push({ of, files: files.slice(0, Math.max(0, room)) });
  }
  return found;
}

/** Whether the feature's prompts contain the file already, by its name or by that of a folder. */
const isGiven = ({ context_files, knowledge_paths, added_files }: StoredFeature, path: string): boolean =>
  [...context_files, ...knowledge_paths, ...added_files.map((file) => file.path)]
    .map((named) => named.replace(/\/+$/, ''))
    .some((named) => path === named || path.startsWith(`${named}/`));

const isDefined = ({ defined }: StoredFeature): boolean => defined?.includes('context_files') ?? false;

async function addFiles(
  db: Writer,
  feature: StoredFeature,
  files: readonly TouchedFile[],
  at: number,
): Promise<readonly TouchedFile[]> {
  if (files.length === 0) return files;
  const context_files = [...feature.context_files, ...files.map(({ path }) => path)];
  await saveFeature(db, { ...feature, context_files, updated: at });
  await appendEvents(db, [{ at, kind: 'feature.saved', data: { feature: feature.name } }]);
  return files;
}

const MAX_TASK_FILES = 50;

type FileScope = 'task' | 'feature';

type AddedTo = {
  /** Null if the file was added to the task alone. */
  feature: string | null;
  /** False if the prompts contain the file already. */
  isNew: boolean;
};

/** Adds a file for later sessions of the session's task, or at once for every session of its feature. */
export function addContextFile(
  queue: Queue,
  session_id: string,
  path: string,
  scope: FileScope,
): Promise<AddedTo> {
  const at = queue.now();
  requireStorable('path', path);
  return queue.store.write(async (db) => {
    const { task } = await requireLive(db, session_id);
    if (scope === 'task') return { feature: null, isNew: await addToTask(db, task, session_id, path, at) };
    if (task.feature === null) throw new Refusal(`Task ${task.id} belongs to no feature; use scope task.`);
    const feature = await requireFeature(db, task.feature);
    const file = { path, task_id: task.id, session_id, added: at };
    return { feature: feature.name, isNew: await addToFeature(db, feature, file) };
  });
}

async function addToTask(
  db: Writer,
  task: StoredTask,
  session_id: string,
  path: string,
  at: number,
): Promise<boolean> {
  if (task.context_files.includes(path)) return false;
  if (task.defined?.includes('context_files'))
    throw new Refusal(
      `The context files of task ${task.id} are defined in .ralph/tasks.yaml, which only a person changes; name ${path} with learned instead.`,
    );
  if (task.context_files.length >= MAX_TASK_FILES)
    throw new Refusal(
      `Task ${task.id} already has ${MAX_TASK_FILES} context files, the maximum; name ${path} with learned instead.`,
    );
  await updateTask(db, task.id, { context_files: [...task.context_files, path], updated: at });
  // If several sessions had to search for this file, the whole feature may need it.
  if (task.feature !== null) await insertTouchedFiles(db, task.feature, session_id, [path]);
  await appendEvents(db, [
    { at, kind: 'task.edited', task_id: task.id, session_id, data: { changed: ['context_files'] } },
  ]);
  return true;
}

async function addToFeature(db: Writer, feature: StoredFeature, file: AddedFile): Promise<boolean> {
  const { name, added_files } = feature;
  const { path, task_id, session_id, added: at } = file;
  if (isGiven(feature, path)) return false;
  if ((await removedFiles(db, name)).includes(path))
    throw new Refusal(
      `A person removed ${path} from the files of the feature ${name}; name it with learned instead.`,
    );
  if (added_files.length >= MAX_FEATURE_FILES)
    throw new Refusal(
      `The feature ${name} already has ${MAX_FEATURE_FILES} files that sessions added, the maximum; name ${path} with learned instead.`,
    );
  await insertAddedFile(db, name, file);
  await appendEvents(db, [
    { at, kind: 'feature.saved', task_id, session_id, data: { feature: name, added_file: path } },
  ]);
  return true;
}

export type FeatureFile = AddedFile & { feature: string };

/** Files that sessions added to a feature, or to any. */
export const listAddedFiles = (queue: Queue, feature?: string): Promise<FeatureFile[]> =>
  queue.store.read(async (db) => {
    const features = feature === undefined ? await listFeatures(db) : [await requireFeature(db, feature)];
    return features.flatMap(({ name, added_files }) =>
      added_files.map((file) => ({ feature: name, ...file })),
    );
  });

/** The same on every screen. */
export const removedFileMessage = (feature: string, path: string): string =>
  `Removed ${path}: no session of ${feature} is given it, and none can add it again.`;

/** A person takes a file that a session added out of the feature's prompts. */
export function removeFeatureFile(queue: Queue, feature: string, path: string): Promise<void> {
  const at = queue.now();
  return queue.store.write(async (db) => {
    const { name } = await requireFeature(db, feature);
    if (!(await removeAddedFile(db, name, path, at)))
      throw new Refusal(
        `No session added ${path} to the feature ${name}; ralph files lists those that sessions added.`,
      );
    await appendEvents(db, [{ at, kind: 'feature.saved', data: { feature: name, removed_file: path } }]);
  });
}
