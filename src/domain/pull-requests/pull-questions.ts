// What Ralph asks a person about a pull request, and what its other tasks wait for meanwhile.

/** Somebody closed it without a merge. `others`: the tasks that wait for the answer. */
export const closedQuestion = (number: number | null, task_id: number, others: readonly number[]): string =>
  others.length === 0
    ? `${closedPrefix(number)} of this task was closed without a merge. What should the next session do differently? If nothing is to be done: ralph skip ${task_id}.`
    : `${closedPrefix(number)} was closed without a merge. It also holds ${others.map((id) => `#${id}`).join(', ')}. What should the next session of this task do differently? Ralph then opens another pull request of the same branch. If nothing is to be done: ralph skip ${[...others, task_id].join(' ')}.`;

const closedPrefix = (number: number | null): string => `Pull request #${number}`;

/** Whether a question of Ralph's own is about the closing of this pull request. */
export const isAboutClosing = (question: string, number: number | null): boolean =>
  question.startsWith(`${closedPrefix(number)} `) && question.includes(' was closed without a merge. ');

/** What the other tasks wait for, as `blocked_by`. `task_id`: the one that asks or goes on. */
export const waitsForDecision = (number: number | null, task_id: number): string =>
  `pull request #${number}, which was closed without a merge; what becomes of it: ralph why ${task_id}`;

/** Somebody merged it without the work of the task. */
export const droppedQuestion = (number: number | null, task_id: number, head: string): string =>
  `Pull request #${number} was merged, but Ralph does not find the work of this task (commit ${head.slice(0, 7)}) in it. If it is there in another form, answer "approve". Otherwise: what should the next session do? If nothing is to be done: ralph skip ${task_id}.`;
