import { appendLearning } from './definitions/append-learning.ts';
import { createDiscipline } from './definitions/create-discipline.ts';
import { createFeature } from './definitions/create-feature.ts';
import { updateDiscipline } from './definitions/update-discipline.ts';
import { updateFeature } from './definitions/update-feature.ts';
import { approve } from './review/approve.ts';
import { requestChanges } from './review/request-changes.ts';
import { addContextFile } from './tasks/add-context-file.ts';
import { answerQuestion } from './tasks/answer-question.ts';
import { commentOnTask } from './tasks/comment-on-task.ts';
import { createTasks } from './tasks/create-tasks.ts';
import { enrichTask } from './tasks/enrich-task.ts';
import { listTasks } from './tasks/list-tasks.ts';
import { nextTask } from './tasks/next-task.ts';
import { setTaskStatus } from './tasks/set-task-status.ts';
import { updateTask } from './tasks/update-task.ts';
import type { Tool } from './tool.ts';
import { ask } from './verbs/ask.ts';
import { blocked } from './verbs/blocked.ts';
import { done } from './verbs/done.ts';
import { flag } from './verbs/flag.ts';
import { learned } from './verbs/learned.ts';
import { partial } from './verbs/partial.ts';
import { stuck } from './verbs/stuck.ts';
import { suggest } from './verbs/suggest.ts';

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
