// The mirror: a file that follows the queue and that people may edit. Ralph imports their edits before it writes the file again.
import {
  type Backlog,
  type BacklogFormat,
  type ImportReport,
  OWN_BOARD,
} from '../../domain/exchange/backlog.ts';
import { type Mask, maskValue } from '../../domain/secrets/mask-secrets.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { lastEventId } from '../../store/events.ts';
import { readMetadata, writeMetadata } from '../../store/metadata.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';
import { exportBacklogWithin } from './export-backlog.ts';
import { importBacklogWithin } from './import-backlog.ts';

export type MirrorFile = {
  /** Distinguishes the mirrors of several work trees. */
  path: string;
  /** The file's name for people. */
  label: string;
  /** Changes whenever the file does; empty if there is no file. */
  stamp(): string;
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
  hash(text: string): string;
  /** Saves a text that Ralph does not import; returns its path. */
  setAside(text: string): Promise<string>;
};

/**
 * `take`: Ralph imports edits. `set aside`: a session has just ended, and an agent must not change the queue through a file. For the
 * same reason Ralph leaves an edited file alone while a session is at work.
 */
export type Edits = 'take' | 'set aside';

/** `verify`: whether Ralph verifies a feature that an edit finishes. */
type MirrorOptions = { edits: Edits; verify: boolean };

export type MirrorResult = {
  isWritten: boolean;
  isLeft: boolean;
  report: ImportReport | null;
  set_aside: string | null;
};

type Memory = {
  /** Texts that Ralph wrote or imported, newest first: git may restore any of them, which is no edit. */
  hashes: readonly string[];
  event: number;
  stamp: string;
};

const MAX_HASHES = 200;
/** Two are enough, unless another process keeps writing the file; then the next call continues. */
const MAX_ROUNDS = 5;
const NOTHING: MirrorResult = { isWritten: false, isLeft: false, report: null, set_aside: null };

export async function keepMirror(
  queue: Queue,
  file: MirrorFile,
  form: BacklogFormat,
  { edits, verify }: MirrorOptions,
): Promise<MirrorResult> {
  const isCurrent = await queue.store.read(async (db) => {
    const memory = await readMemory(db, file);
    return memory?.event === (await lastEventId(db)) && memory.stamp === file.stamp();
  });
  let result = NOTHING;
  let isOver = isCurrent;
  for (let round = 0; !isOver && round < MAX_ROUNDS; round++) {
    const step = await queue.store.write((db) =>
      syncOnce(db, file, maskedForm(form, queue.mask), { edits, verify }, queue.now()),
    );
    const { report, set_aside } = step.result;
    result = { ...step.result, report: report ?? result.report, set_aside: set_aside ?? result.set_aside };
    isOver = step.isOver;
  }
  return result;
}

/**
 * Imports edits, or writes the file; never both in one transaction. If a crash lost the transaction of a written file, Ralph would
 * take that file for an edit, with unknown task ids. It writes inside a transaction: a second process waits, so neither overwrites
 * the newer state of the other.
 */
async function syncOnce(
  db: Writer,
  file: MirrorFile,
  form: BacklogFormat,
  { edits, verify }: MirrorOptions,
  at: number,
): Promise<{ result: MirrorResult; isOver: boolean }> {
  const hashes: readonly string[] = (await readMemory(db, file))?.hashes ?? [];
  const found = await file.read();
  const isEdited = found !== null && !hashes.includes(file.hash(found));
  const isLeft = isEdited && edits === 'take' && (await openSessions(db)).length > 0;
  if (isLeft) return { result: { ...NOTHING, isLeft }, isOver: true };
  const set_aside = isEdited && edits === 'set aside' ? await file.setAside(found) : null;
  const report =
    isEdited && set_aside === null
      ? await importBacklogWithin(db, boardFor(form.read(found, file.label), hashes), {
          file: file.label,
          at,
          verify,
        })
      : null;
  const text = await exportBacklogWithin(db, form);
  const isKnown = !isEdited && hashes.includes(file.hash(text));
  if (isKnown && text !== found) await file.write(text);
  await saveMemory(db, file, {
    hashes: [file.hash(text), ...(found === null ? [] : [file.hash(found)]), ...hashes],
    event: isKnown ? await lastEventId(db) : NO_EVENT,
    stamp: file.stamp(),
  });
  return { result: { ...NOTHING, isWritten: isKnown && text !== found, report, set_aside }, isOver: isKnown };
}

/** Stored text is masked, so edits must be masked before Ralph compares them. */
const maskedForm = (form: BacklogFormat, mask: Mask): BacklogFormat => ({
  ...form,
  read: (text, label) => maskValue(form.read(text, label), mask),
});

/** Once Ralph has written the file, it knows every task by its id there. */
const boardFor = (backlog: Backlog, hashes: readonly string[]): Backlog =>
  hashes.length === 0 ? backlog : { ...backlog, board: OWN_BOARD, isOneBoard: true };

/** No event has this id. */
const NO_EVENT = -1;

async function readMemory(db: Reader, { path }: MirrorFile): Promise<Memory | null> {
  const text = (await readMetadata(db))[`mirror ${path}`];
  return text === undefined ? null : (JSON.parse(text) as Memory);
}

const saveMemory = (db: Writer, { path }: MirrorFile, { hashes, ...rest }: Memory): Promise<void> =>
  writeMetadata(
    db,
    `mirror ${path}`,
    JSON.stringify({ hashes: [...new Set(hashes)].slice(0, MAX_HASHES), ...rest }),
  );
