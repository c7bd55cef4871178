// What became of a pull request, as a line of a terminal.
import type { PullSummary } from '../domain/pull-requests/pull-request.ts';
import type { LookedPull, PullStep } from '../supervisor/pull-requests/watch-pulls.ts';
import { oneLine } from './terminal/style.ts';

const STEPS: Record<PullStep, (task_id: number) => string> = {
  opened: () => 'is open; the task is done once it is merged',
  waits: () => 'waits to be merged',
  merged: (id) => `is merged, and #${id} is done`,
  merged_early: () => 'is merged without what the last session added; that gets another pull request',
  dropped: (id) => `is merged without the work of #${id}, which asks what to do: ralph why ${id}`,
  returned: (id) => `needs more work, and #${id} is put back: ralph show ${id}`,
  closed: (id) => `was closed without a merge, and #${id} asks what to do: ralph why ${id}`,
  reopened: () => 'is open again; the task is done once it is merged',
};

export const pullLine = ({ task_id, number, url, step }: LookedPull): string =>
  `#${task_id}: pull request ${oneLine(url === '' ? `#${number}` : url)} ${STEPS[step](task_id)}`;

export const pullSummaryText = ({ number, url, branch, state }: PullSummary): string =>
  number === null
    ? `the branch ${oneLine(branch)} is pushed; Ralph opens its pull request as soon as GitHub answers`
    : `#${number} ${oneLine(url ?? '')} (${state}), of branch ${oneLine(branch)}`;
