import type { Action } from '../action.ts';
import { add } from './add.ts';
import { answer, dismiss } from './answer.ts';
import { approve } from './approve.ts';
import { approveFiles } from './approve-files.ts';
import { comment } from './comment.ts';
import { retry, skip } from './decide.ts';
import { definitions } from './definitions.ts';
import { edit } from './edit.ts';
import { closeFlag } from './flags.ts';
import {
  approveLearning,
  archiveLearning,
  editLearning,
  learn,
  removeLearning,
  restoreLearning,
} from './learnings.ts';
import { removeFile } from './remove-file.ts';
import { stop } from './stop.ts';

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
