// Sentences about slots, and about work on its way from a slot to the person's checkout.
import { plural } from '../../domain/text/text.ts';
import type { SlotStep, SupervisorEvent } from '../../supervisor/input.ts';
import { oneLine } from '../terminal/style.ts';

export function slotText(step: SlotStep, detail: string | null): string {
  const words = { making: 'making the slot', setup: 'setting up the slot', repaired: 'repairing the slot' };
  return detail === null ? words[step] : `${words[step]} (${oneLine(detail)})`;
}

/** Null for what a person need not know: with one job, that is all that neither takes long nor went wrong. */
export function slotLine(
  { slot, step, ended, detail }: Extract<SupervisorEvent, { kind: 'slot' }>,
  isParallel: boolean,
): string | null {
  if (step === 'repaired') {
    const why = detail === null ? '' : `: ${oneLine(detail)}`;
    return ended ? `slot ${slot} was damaged and is repaired${why}` : null;
  }
  return ended || (step === 'making' && !isParallel) ? null : slotText(step, detail);
}

export function phaseText({ claim, phase, behind }: Extract<SupervisorEvent, { kind: 'phase' }>): string {
  const task = `#${claim.task.id}`;
  if (phase !== 'landing') return `${task} ${phase === 'proving' ? 'checking the work' : 'at work'}`;
  return behind.length === 0 ? `${task} landing` : `${task} waits to land after ${taskList(behind)}`;
}

export const taskList = (ids: readonly number[]): string => ids.map((id) => `#${id}`).join(' ');

export const waitingCommits = ({ branch, commits }: { branch: string; commits: number }): string =>
  `${plural(commits, 'commit')} ${commits === 1 ? 'waits' : 'wait'} for ${oneLine(branch)}`;

/** At most so many paths and commits are named. */
const MAX_NAMED = 3;

export function notLandedText({
  claim,
  problem: { kind, paths, others },
}: Extract<SupervisorEvent, { kind: 'not_landed' }>): string {
  const commits = others.map(({ commit, subject }) => `${commit.slice(0, 7)} "${subject}"`);
  const beside = commits.length === 0 ? 'what landed meanwhile' : named(commits);
  const what =
    kind === 'conflict'
      ? `${paths.length === 0 ? 'its work' : named(paths)} ${paths.length > 1 ? 'conflict' : 'conflicts'} with ${beside}`
      : `a gate fails on the merge with ${beside}`;
  return `#${claim.task.id} did not land: ${what}; its next session gets both changes`;
}

function named(words: readonly string[]): string {
  const more = words.length - MAX_NAMED;
  return `${words.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
