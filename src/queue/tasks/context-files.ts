// Files that many sessions of a feature touch become its context files: when a person approves them, or always (`auto_context`).

import { Refusal } from '../../domain/refusal.ts';
import { plural, requireStorable } from '../../domain/text/text.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { appendEvents } from '../../store/events.ts';
import { insertTouchedFiles, oftenTouchedFiles, type TouchedFile } from '../../store/tasks/feature-files.ts';
import { listFeatures, type StoredFeature, saveFeature } from '../../store/tasks/features.ts';
import { updateTask } from '../../store/tasks/tasks.ts';
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
export type ApprovedFiles = { added: TouchedFile[]; theirs: TouchedFile[] };

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
  return features.map((of) => {
    const known = [...of.context_files, ...of.knowledge_paths].map((path) => path.replace(/\/+$/, ''));
    const isKnown = (path: string): boolean =>
      known.some((named) => path === named || path.startsWith(`${named}/`));
    const files = touched.filter((one) => one.feature === of.name && !isKnown(one.path));
    return { of, files: files.slice(0, Math.max(0, MAX_FEATURE_FILES - of.context_files.length)) };
  });
}

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

/** Adds a file to the session's task, for later sessions. False if the task already has it. */
export function addContextFile(queue: Queue, session_id: string, path: string): Promise<boolean> {
  const at = queue.now();
  requireStorable('path', path);
  return queue.store.write(async (db) => {
    const { task } = await requireLive(db, session_id);
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
  });
}
