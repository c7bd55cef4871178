// What is written down beside the sessions: the journal, and what a session was given.

import { join, relative, sep } from 'node:path';
import type { Config } from '../domain/config.ts';
import { type EndedSession, journalEntry } from '../domain/journal/journal.ts';
import { Refusal } from '../domain/refusal.ts';
import { maskValue } from '../domain/secrets/mask-secrets.ts';
import { isProjectPath } from '../domain/text/text.ts';
import { buildWorkLog, type WorkLog } from '../domain/transcript/work-log.ts';
import { readLines } from '../files/read-lines.ts';
import { secretMatcher } from '../files/secret-files.ts';
import { sessionDir } from '../host/project.ts';
import { appendJournal } from '../project/journal/append-journal.ts';
import { recordJournaled, sessionsToJournal } from '../queue/journal/journal.ts';
import { recordGivenLearnings } from '../queue/learnings/given-learnings.ts';
import type { Queue } from '../queue/queue.ts';

export type DeferredWrites = {
  began(session_id: string, learnings: readonly number[]): void;
  /** Fulfilled when it is known what the session was given: its receipt tells. */
  given(): Promise<void>;
  /** Begins to write the lines that are missing; other work goes on meanwhile. */
  writeJournal(): void;
  /** Fulfilled when the journal has a line of every session that has ended, or cannot be written. */
  written(): Promise<void>;
};

/** A journal that cannot be written must not end a run: its lines are made up for the next time. */
export function openDeferredWrites(place: JournalPlace, refused: (reason: string) => void): DeferredWrites {
  let given: Promise<void> = Promise.resolve();
  let journal: Promise<void> = Promise.resolve();
  const tell = (error: unknown): void =>
    refused(error instanceof Refusal ? error.message : `The journal was not written: ${String(error)}`);
  return {
    began: (session_id, learnings) => {
      if (learnings.length > 0) given = recordGivenLearnings(place.queue, session_id, learnings).catch(tell);
    },
    given: () => given,
    writeJournal: () => {
      journal = journal.then(() => writeMissingEntries(place)).catch(tell);
    },
    written: () => journal,
  };
}
// A line in the journal for every session that has ended and has none, whoever ended it, and however.

export type JournalPlace = {
  queue: Queue;
  root: string;
  stateDir: string;
  config: Pick<Config, 'knowledge'>;
};

/** One file that cannot be written keeps no other feature from its journal; it is told of when all the rest is written. */
export async function writeMissingEntries(place: JournalPlace): Promise<void> {
  const refused = new Map<string, unknown>();
  const left = async (): Promise<EndedSession[]> =>
    (await sessionsToJournal(place.queue)).filter(({ session }) => !refused.has(session.id));
  for (let told = await left(); told.length > 0; told = await left())
    for (const one of told)
      await write(place, one).catch((error) => {
        refused.set(one.session.id, error);
      });
  for (const error of refused.values()) throw error;
}

async function write({ queue, root, stateDir, config }: JournalPlace, told: EndedSession): Promise<void> {
  const { session, task } = told;
  const work = await workOf(root, join(sessionDir(stateDir, session.id), 'stream.jsonl'));
  // Written first and remembered then: after a kill in between, the line is found and not written again.
  await appendJournal(root, maskValue(journalEntry(told, work), queue.mask));
  const { auto_context, secrets } = config.knowledge;
  const isSecret = secretMatcher(secrets);
  const touched = [...work.written, ...work.read].filter((path) => !isSecret(path));
  await recordJournaled(queue, { session_id: session.id, feature: task.feature, touched, auto_context });
}

async function workOf(root: string, stream: string): Promise<WorkLog> {
  const work = buildWorkLog((path) => within(root, path));
  for await (const line of readLines(stream)) work.add(line);
  return work.build();
}

/** Null for what lies elsewhere, and for Ralph's own. */
function within(root: string, path: string): string | null {
  if (path === '') return null;
  const inside = relative(root, join(path.startsWith('/') ? '' : root, path))
    .split(sep)
    .join('/');
  return isProjectPath(inside) ? inside : null;
}
