// Does the chain of evidence hold, and does it vouch for every done task? A person who looked settles a broken place: they put its
// task back or vouch for it, and a later row says so.
import type { BrokenEvidence, EvidenceRow } from '../../domain/sessions/evidence.ts';
import { type GateResult, latestResults } from '../../domain/sessions/gate.ts';
import { type Flag, isOpenBlocker } from '../../domain/tasks/flag.ts';
import { isOpenQuestion, type Question } from '../../domain/tasks/task.ts';
import type { Reader } from '../../store/database.ts';
import {
  doneWithoutEvidence,
  evidenceAfter,
  findEvidence,
  lastAccepted,
  startOfLast,
} from '../../store/sessions/evidence.ts';
import { evidenceHash, receiptDigest } from '../../store/sessions/evidence-hash.ts';
import { gateRunsOfSession } from '../../store/sessions/gate-runs.ts';
import {
  commitsOfReceipts,
  findReceipt,
  findReceiptRows,
  receiptHashes,
  unrecordedReceipts,
} from '../../store/sessions/receipts.ts';
import { flagsOfTask } from '../../store/tasks/flags.ts';
import { questionsOfTask } from '../../store/tasks/questions.ts';
import { findStatuses } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';

type EvidenceReport = {
  /** Done tasks that nothing vouches for, or whose evidence does not hold. */
  unproven: readonly number[];
  /** Where the chain does not hold, in its order. */
  broken: readonly BrokenEvidence[];
  /** The last row: a later check can go on from here. */
  end: Position;
};

type Position = { id: number; hash: string };

const BEGINNING: Position = { id: 0, hash: '' };

/** The whole chain, or its last rows only. */
export const verifyEvidence = (queue: Queue, { last }: { last?: number } = {}): Promise<EvidenceReport> =>
  queue.store.read(async (db) => {
    const start = last === undefined ? 0 : await startOfLast(db, last);
    const before = start === 0 ? BEGINNING : ((await findEvidence(db, start)) ?? BEGINNING);
    return verifyFrom(db, before);
  });

/** For a run, which looks before each claim: what it has verified must still be there, and the rest must follow from it. */
export function watchEvidence(queue: Queue): () => Promise<EvidenceReport> {
  let verified = BEGINNING;
  return async () => {
    const report = await queue.store.read((db) => verifyFrom(db, verified));
    verified = report.end;
    return report;
  };
}

/** Whether the task is done, and nothing vouches for it. */
export const isUnproven = async (db: Reader, task_id: number): Promise<boolean> =>
  (await verifyFrom(db, BEGINNING)).unproven.includes(task_id);

async function verifyFrom(db: Reader, before: Position): Promise<EvidenceReport> {
  const verifiedRow = before.id === 0 ? null : await findEvidence(db, before.id);
  const isRewritten = before.id !== 0 && verifiedRow?.hash !== before.hash;
  // Something rewrote what was verified: nothing but the whole chain tells where.
  const start = isRewritten ? BEGINNING : before;
  const rows = await evidenceAfter(db, start.id);
  const broken = [
    ...findBrokenLinks(rows, start),
    ...(await findBrokenReceipts(db, rows)),
    ...(await findUnrecorded(db)),
  ];
  const tasks = [...new Set(broken.map(({ task_id }) => task_id))];
  const accepted = await lastAccepted(db, tasks);
  const open = broken.filter((one) => !isSettled(one, broken, accepted.get(one.task_id)));
  const statuses = await findStatuses(db, tasks);
  const doubtful = open.flatMap(({ task_id }) => (statuses.get(task_id) === 'done' ? [task_id] : []));
  return {
    unproven: [...new Set([...(await doneWithoutEvidence(db)), ...doubtful])].sort((a, b) => a - b),
    broken: open.sort((one, other) => (one.id ?? Infinity) - (other.id ?? Infinity)),
    end: rows.at(-1) ?? start,
  };
}

/** `anchors`: by session, the hash of its receipt as something outside the database has it. */
export const findBrokenAnchors = (
  queue: Queue,
  anchors: ReadonlyMap<string, string>,
): Promise<BrokenEvidence[]> =>
  queue.store.read(async (db) =>
    (await receiptHashes(db)).flatMap(({ task_id, session_id, hash }) => {
      const anchor = anchors.get(session_id);
      return anchor === undefined || anchor === hash
        ? []
        : [{ id: null, task_id, session_id, problem: 'unlike the journal' as const }];
    }),
  );

/** Each row is compared with the stored hash before it, so that a changed row does not accuse all that follow. */
function findBrokenLinks(rows: readonly EvidenceRow[], start: Position): BrokenEvidence[] {
  const broken: BrokenEvidence[] = [];
  let before = start;
  for (const row of rows) {
    const problem = row.id === before.id + 1 ? 'changed' : 'out of order';
    if (evidenceHash(before.hash, row) !== row.hash)
      broken.push({ id: row.id, task_id: row.task_id, session_id: null, problem });
    before = row;
  }
  return broken;
}

async function findBrokenReceipts(db: Reader, rows: readonly EvidenceRow[]): Promise<BrokenEvidence[]> {
  const vouching = rows.filter(({ kind }) => kind === 'receipt');
  const ids = vouching.flatMap(({ receipt_id }) => receipt_id ?? []);
  const receipts = new Map((await findReceiptRows(db, ids)).map((receipt) => [receipt.id, receipt]));
  const commits = await commitsOfReceipts(db, ids);
  return vouching.flatMap(({ id, task_id, receipt_id, digest }): BrokenEvidence[] => {
    const receipt = receipts.get(receipt_id ?? 0);
    if (receipt === undefined) return [{ id, task_id, session_id: null, problem: 'removed' }];
    const covering = commits.get(receipt.id);
    const isSound =
      receiptDigest(receipt, covering === undefined ? receipt.commit_id : null) === digest &&
      (covering === undefined || covering === receipt.commit_id);
    return isSound ? [] : [{ id, task_id, session_id: receipt.session_id, problem: 'changed' }];
  });
}

/** Receipts that something wrote past the chain. */
const findUnrecorded = async (db: Reader): Promise<BrokenEvidence[]> =>
  (await unrecordedReceipts(db)).map(({ task_id, session_id }) => ({
    id: null,
    task_id,
    session_id,
    problem: 'not recorded',
  }));

/** Whether a person has looked since: a sound row says so. */
function isSettled(
  { id }: BrokenEvidence,
  broken: readonly BrokenEvidence[],
  accepted: EvidenceRow | undefined,
): boolean {
  if (accepted === undefined || broken.some((one) => one.id === accepted.id)) return false;
  return id === null || accepted.id > id;
}

/** What the end of a session is based on, for messages and pages. */
export type Evidence = {
  gates: readonly GateResult[];
  commit: string | null;
  /** The tree that the gates proved; null if they proved none. */
  tree_hash: string | null;
  /** Open questions that block the task. */
  questions: readonly Pick<Question, 'id' | 'question'>[];
  /** Open flags that block the task. */
  flags: readonly Flag[];
};

export const evidence = (queue: Queue, session: { id: string; task_id: number }): Promise<Evidence> =>
  queue.store.read(async (db) => {
    const gates = await gateRunsOfSession(db, session.id);
    const receipt = await findReceipt(db, session.task_id);
    const questions = await questionsOfTask(db, session.task_id);
    const own = receipt?.session_id === session.id ? receipt : null;
    return {
      gates: latestResults(gates),
      commit: own?.commit ?? null,
      tree_hash: own?.tree_hash ?? null,
      questions: questions
        .filter((question) => question.blocking && isOpenQuestion(question))
        .map(({ id, question }) => ({ id, question })),
      flags: (await flagsOfTask(db, session.task_id)).filter(isOpenBlocker),
    };
  });
