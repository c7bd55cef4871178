import { addContextFile } from './add-context-file.ts';
import { answerQuestion } from './answer-question.ts';
import { appendLearning } from './append-learning.ts';
import { approve } from './approve.ts';
import { ask } from './ask.ts';
import { blocked } from './blocked.ts';
import { commentOnTask } from './comment-on-task.ts';
import { createDiscipline } from './create-discipline.ts';
import { createFeature } from './create-feature.ts';
import { createTasks } from './create-tasks.ts';
import { done } from './done.ts';
import { enrichTask } from './enrich-task.ts';
import { flag } from './flag.ts';
import { learned } from './learned.ts';
import { listTasks } from './list-tasks.ts';
import { nextTask } from './next-task.ts';
import { partial } from './partial.ts';
import { requestChanges } from './request-changes.ts';
import { setTaskStatus } from './set-task-status.ts';
import { stuck } from './stuck.ts';
import { suggest } from './suggest.ts';
import type { Tool } from './tool.ts';
import { updateDiscipline } from './update-discipline.ts';
import { updateFeature } from './update-feature.ts';
import { updateTask } from './update-task.ts';

/** The tools of a client that is bound to no session, in the order it sees them. */
export const INTERACTIVE_TOOLS: readonly Tool[] = [
  nextTask,
  done,
  partial,
  stuck,
  ask,
  flag,
  learned,
  suggest,
  blocked,
  listTasks,
  createTasks,
  updateTask,
  setTaskStatus,
  commentOnTask,
  enrichTask,
  createFeature,
  updateFeature,
  createDiscipline,
  updateDiscipline,
  answerQuestion,
  appendLearning,
];

export const TOOLS: readonly Tool[] = [...INTERACTIVE_TOOLS, addContextFile, approve, requestChanges];
