import type { Action } from '../action.ts';
import { answer, dismiss } from './answer.ts';
import { approve, closeFlag, retry, skip } from './decide.ts';
import { definitions } from './definitions.ts';
import { approveFiles, removeFile } from './files.ts';
import {
  approveLearning,
  archiveLearning,
  editLearning,
  learn,
  removeLearning,
  restoreLearning,
} from './learnings.ts';
import { stop } from './stop.ts';
import { add, comment, edit } from './tasks.ts';

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [
    add,
    answer,
    dismiss,
    closeFlag,
    approve,
    comment,
    edit,
    retry,
    skip,
    stop,
    learn,
    editLearning,
    approveLearning,
    archiveLearning,
    restoreLearning,
    removeLearning,
    approveFiles,
    removeFile,
    definitions,
  ].map((action) => [action.name, action]),
);
