// A file that follows the queue, and that people may edit: their edits come in first, and only then is it written again.
import type { Backlog, ImportReport } from '../../domain/exchange/backlog.ts';
import { type BacklogFormat, OWN_BOARD } from '../../domain/exchange/backlog-file.ts';
import { type Mask, maskValue } from '../../domain/secrets/mask-secrets.ts';
import type { Reader, Writer } from '../../store/database.ts';
import { lastEventId } from '../../store/events.ts';
import { readMetadata, writeMetadata } from '../../store/metadata.ts';
import { openSessions } from '../../store/sessions/sessions.ts';
import type { Queue } from '../queue.ts';
import { snapshotWithin } from './export-backlog.ts';
import { importWithin } from './import-backlog.ts';

export type MirrorFile = {
  /** Tells the mirrors of several work trees apart. */
  path: string;
  /** How people call it. */
  label: string;
  /** Changes whenever the file does; empty where there is none. */
  stamp(): string;
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
  hash(text: string): string;
  /** Keeps what is not taken in, and answers with where. */
  setAside(text: string): Promise<string>;
};

/**
 * `take`: what a person wrote comes in. `set aside`: a session has just ended, and no agent may move the queue by a file; for the same
 * reason an edited file is left alone while a session is at work.
 */
export type Edits = 'take' | 'set aside';

/** `verify`: whether a feature that an edit finishes is to be verified. */
export type Following = { edits: Edits; verify: boolean };

export type Kept = {
  isWritten: boolean;
  isLeft: boolean;
  report: ImportReport | null;
  set_aside: string | null;
};

type Memory = {
  /** What Ralph has written or taken in, newest first: git may bring any of it back, and that is nobody's edit. */
  hashes: readonly string[];
  event: number;
  stamp: string;
};

const REMEMBERED = 200;
/** Two are enough, unless somebody keeps writing it; then the next look goes on. */
const ROUNDS = 5;
const NOTHING: Kept = { isWritten: false, isLeft: false, report: null, set_aside: null };

export async function keepMirror(
  queue: Queue,
  file: MirrorFile,
  form: BacklogFormat,
  { edits, verify }: Following,
): Promise<Kept> {
  const isKept = await queue.store.read(async (db) => {
    const memory = await memoryOf(db, file);
    return memory?.event === (await lastEventId(db)) && memory.stamp === file.stamp();
  });
  let kept = NOTHING;
  let isOver = isKept;
  for (let round = 0; !isOver && round < ROUNDS; round++) {
    const step = await queue.store.write((db) =>
      keepWithin(db, file, maskedForm(form, queue.mask), { edits, verify }, queue.now()),
    );
    const { report, set_aside } = step.kept;
    kept = { ...step.kept, report: report ?? kept.report, set_aside: set_aside ?? kept.set_aside };
    isOver = step.isOver;
  }
  return kept;
}

/**
 * Takes in what people wrote, or writes. Never both in one transaction: a file that stands on the disk while its transaction is
 * lost in a crash would come in as somebody's edit, with tasks whose ids nobody knows. Written inside of one: of two processes
 * the second waits, and neither writes over the other's newer state.
 */
async function keepWithin(
  db: Writer,
  file: MirrorFile,
  form: BacklogFormat,
  { edits, verify }: Following,
  at: number,
): Promise<{ kept: Kept; isOver: boolean }> {
  const hashes: readonly string[] = (await memoryOf(db, file))?.hashes ?? [];
  const found = await file.read();
  const isEdited = found !== null && !hashes.includes(file.hash(found));
  const isLeft = isEdited && edits === 'take' && (await openSessions(db)).length > 0;
  if (isLeft) return { kept: { ...NOTHING, isLeft }, isOver: true };
  const set_aside = isEdited && edits === 'set aside' ? await file.setAside(found) : null;
  const report =
    isEdited && set_aside === null
      ? await importWithin(db, boardFor(form.read(found, file.label), hashes), {
          file: file.label,
          at,
          verify,
        })
      : null;
  const text = await snapshotWithin(db, form);
  const isKnown = !isEdited && hashes.includes(file.hash(text));
  if (isKnown && text !== found) await file.write(text);
  await remember(db, file, {
    hashes: [file.hash(text), ...(found === null ? [] : [file.hash(found)]), ...hashes],
    event: isKnown ? await lastEventId(db) : UNKNOWN,
    stamp: file.stamp(),
  });
  return { kept: { ...NOTHING, isWritten: isKnown && text !== found, report, set_aside }, isOver: isKnown };
}

/** What people wrote is compared with what is stored masked. */
const maskedForm = (form: BacklogFormat, mask: Mask): BacklogFormat => ({
  ...form,
  read: (text, label) => maskValue(form.read(text, label), mask),
});

/** Once Ralph has written it, every task of it is known by the id it was given there. */
const boardFor = (backlog: Backlog, hashes: readonly string[]): Backlog =>
  hashes.length === 0 ? backlog : { ...backlog, board: OWN_BOARD, isOneBoard: true };

/** No event has this number. */
const UNKNOWN = -1;

async function memoryOf(db: Reader, { path }: MirrorFile): Promise<Memory | null> {
  const text = (await readMetadata(db))[`mirror ${path}`];
  return text === undefined ? null : (JSON.parse(text) as Memory);
}

const remember = (db: Writer, { path }: MirrorFile, { hashes, ...rest }: Memory): Promise<void> =>
  writeMetadata(
    db,
    `mirror ${path}`,
    JSON.stringify({ hashes: [...new Set(hashes)].slice(0, REMEMBERED), ...rest }),
  );
