// Why a done task is done. The chain of evidence has a row for each time that a task becomes done or is reopened.

/*
 * receipt   gates passed, or a person accepted a done without a change; the receipt says which
 * imported  a file that Ralph took in already called it done
 * rebuilt   the journal of an earlier database calls it done
 * accepted  a person looked at a done that nothing proves, and vouches for it (ralph approve) or puts it back (ralph retry)
 * existing  it was done before Ralph kept evidence
 * reopened  it is no longer done
 * commit    the work behind an earlier receipt is in this commit; says nothing about the status
 */
const EVIDENCE_KINDS = [
  'receipt',
  'imported',
  'rebuilt',
  'accepted',
  'existing',
  'reopened',
  'commit',
] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** `digest`: of the receipt as it was written. `hash`: over the row and the hash before it. */
export type EvidenceRow = {
  id: number;
  at: number;
  kind: EvidenceKind;
  task_id: number;
  receipt_id: number | null;
  digest: string | null;
  commit_id: string | null;
  hash: string;
};

/** A place at which the chain does not hold. */
export type BrokenEvidence = {
  /** The row of the chain; null for a receipt that has none. */
  id: number | null;
  task_id: number;
  /** The session of the receipt, if that is known. */
  session_id: string | null;
  problem: 'changed' | 'removed' | 'out of order' | 'not recorded' | 'unlike the journal';
};

const MAX_NAMED = 5;

/** The one sentence for people; `tasks` is not empty. */
export function unprovenText(tasks: readonly number[]): string {
  const [first = 0] = tasks;
  const named = tasks.slice(0, MAX_NAMED).join(', ');
  const more = tasks.length > MAX_NAMED ? ` and ${tasks.length - MAX_NAMED} more` : '';
  return tasks.length === 1
    ? `Task ${first} is done, but nothing proves it: do it again with ralph retry ${first}, or vouch for it with ralph approve ${first}.`
    : `Tasks ${named}${more} are done, but nothing proves it: do one again with ralph retry ${first}, or vouch for it with ralph approve ${first}.`;
}

export function brokenText({ id, task_id, problem }: BrokenEvidence): string {
  switch (problem) {
    case 'changed':
      return `The proof of task ${task_id} was changed (evidence ${id})`;
    case 'removed':
      return `The receipt of task ${task_id} was removed (evidence ${id})`;
    case 'out of order':
      return `Evidence before that of task ${task_id} was removed or moved (evidence ${id})`;
    case 'not recorded':
      return `A receipt of task ${task_id} was not written by Ralph`;
    case 'unlike the journal':
      return `The receipt of task ${task_id} is not the one that the journal names`;
  }
}
