// Writes that run beside the sessions: the journal, and which learnings and variant a session was given.

import { join, relative, sep } from 'node:path';
import type { Config } from '../domain/config.ts';
import { PROGRESS_FILE } from '../domain/definition.ts';
import { type EndedSession, journalEntry } from '../domain/journal/journal.ts';
import { Refusal } from '../domain/refusal.ts';
import { maskValue } from '../domain/secrets/mask-secrets.ts';
import { locateWorkTree, type Session } from '../domain/sessions/session.ts';
import { doneSummary, lastClosing } from '../domain/sessions/signal.ts';
import { isProjectPath } from '../domain/text/text.ts';
import type { WorkLog } from '../domain/transcript/work-log.ts';
import { buildWorkLog } from '../domain/transcript/work-log.ts';
import type { OpenFile } from '../files/own-file.ts';
import { readLines } from '../files/read-lines.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { openArtifacts } from '../host/artifacts/artifacts.ts';
import { acceptChange } from '../host/definitions/accepted.ts';
import { projectWorkTrees } from '../host/project.ts';
import { ARTIFACT } from '../host/session-folder.ts';
import { workSlot } from '../host/slots/slot-pool.ts';
import { appendProgress, withProgressLine } from '../project/append-progress.ts';
import { appendJournal } from '../project/journal/append-journal.ts';
import { recordJournaled, sessionsToJournal } from '../queue/journal/journal.ts';
import { recordGivenLearnings } from '../queue/learnings/learnings.ts';
import type { Queue } from '../queue/queue.ts';
import { storedArtifacts } from '../queue/sessions/artifacts.ts';
import { recordVariant } from '../queue/sessions/variants.ts';
import type { LaunchSpec } from './agents/agent.ts';

export type DeferredWrites = {
  recordGiven(session_id: string, launch: Pick<LaunchSpec, 'learnings' | 'variant'>): void;
  /** Resolves when what the session was given is recorded: its receipt names the learnings. */
  givenRecorded(): Promise<void>;
  /** Starts to write the missing lines; the caller need not wait. */
  writeJournal(): void;
  /** Resolves when the journal has a line for every ended session, or cannot be written. */
  journalWritten(): Promise<void>;
};

/** A journal that cannot be written must not end a run: the next write adds the missing lines. */
export function openDeferredWrites(place: JournalPlace, onRefused: (reason: string) => void): DeferredWrites {
  let givenWrites: Promise<void> = Promise.resolve();
  let journal: Promise<void> = Promise.resolve();
  const tell = (error: unknown): void =>
    onRefused(error instanceof Refusal ? error.message : `The journal was not written: ${String(error)}`);
  return {
    recordGiven: (session_id, { learnings, variant }) => {
      const { queue } = place;
      if (learnings.length > 0) givenWrites = recordGivenLearnings(queue, session_id, learnings).catch(tell);
      if (variant !== null)
        givenWrites = givenWrites.then(() => recordVariant(queue, session_id, variant)).catch(tell);
    },
    givenRecorded: () => givenWrites,
    writeJournal: () => {
      journal = journal.then(() => writeMissingEntries(place)).catch(tell);
    },
    journalWritten: () => journal,
  };
}

type JournalPlace = {
  queue: Queue;
  root: string;
  stateDir: string;
  slotsFolder: string;
  config: Pick<Config, 'knowledge'>;
};

/**
 * Writes a journal line for every ended session that has none. Those of another work tree get theirs there. A file that cannot be
 * written must not keep the other features from their journals, so its error is thrown last.
 */
export async function writeMissingEntries(place: JournalPlace): Promise<void> {
  const errors = new Map<string, unknown>();
  const trees = projectWorkTrees(place);
  const left = async (): Promise<EndedSession[]> =>
    (await sessionsToJournal(place.queue)).filter(
      ({ session }) => !errors.has(session.id) && locateWorkTree(session, trees) !== 'elsewhere',
    );
  for (let entries = await left(); entries.length > 0; entries = await left())
    for (const entry of entries)
      await write(place, entry).catch((error) => {
        errors.set(entry.session.id, error);
      });
  for (const error of errors.values()) throw error;
}

async function write(place: JournalPlace, ended: EndedSession): Promise<void> {
  const { queue, root, stateDir, config } = place;
  const { session, task } = ended;
  const artifacts = openArtifacts(stateDir, storedArtifacts(queue));
  const stream = (): ReturnType<OpenFile> => artifacts.open({ session_id: session.id }, ARTIFACT.stream);
  const work = await readWorkLog(workFolder(place, session), stream);
  // Write before recording it: after a kill in between, Ralph finds the line and does not write it again.
  await appendJournal(root, maskValue(journalEntry(ended, work), queue.mask));
  // Its failure must not keep the session from being recorded: the journal would get a second line.
  const unwritten = await addProgress(place, ended).catch((error: unknown) => error);
  const { auto_context, secrets } = config.knowledge;
  const isSecret = secretMatcher(secrets);
  const written = work.written.filter((path) => !isSecret(path));
  const touched = [...written, ...work.read.filter((path) => !isSecret(path))];
  const { feature } = task;
  await recordJournaled(queue, { session_id: session.id, feature, touched, written, auto_context });
  if (unwritten !== undefined) throw unwritten;
}

async function addProgress(
  place: Pick<JournalPlace, 'queue' | 'root' | 'stateDir'>,
  { session, task, signals }: EndedSession,
): Promise<void> {
  const { queue, root } = place;
  if (session.outcome !== 'done') return;
  const summary = doneSummary(lastClosing(signals)) ?? '';
  const line = {
    session_id: session.id,
    task: { id: task.id, title: task.title },
    summary,
    at: session.ended,
  };
  const masked = maskValue(line, queue.mask);
  const unaccept = await acceptChange(place, PROGRESS_FILE, (content) => withProgressLine(content, masked));
  await appendProgress(root, masked).catch(async (error: unknown) => {
    await unaccept();
    throw error;
  });
}

/** The folder whose files the stream of a session names. */
function workFolder({ root, stateDir, slotsFolder }: JournalPlace, { slot }: Pick<Session, 'slot'>): string {
  if (slot === null) return root;
  const repository = { root, stateDir, env: {} };
  return workSlot({ repository, folder: slotsFolder }, slot).root;
}

async function readWorkLog(root: string, stream: OpenFile): Promise<WorkLog> {
  const work = buildWorkLog((path) => toProjectPath(root, path));
  for await (const line of readLines(stream)) work.add(line);
  return work.build();
}

/** Null for paths outside the project, and for Ralph's own files. */
function toProjectPath(root: string, path: string): string | null {
  if (path === '') return null;
  const inside = relative(root, join(path.startsWith('/') ? '' : root, path))
    .split(sep)
    .join('/');
  return isProjectPath(inside) ? inside : null;
}
