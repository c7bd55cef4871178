import type { Action } from '../action.ts';
import { add } from './add.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { approveFiles } from './approve-files.ts';
import { archiveLearning } from './archive-learning.ts';
import { edit } from './edit.ts';
import { editLearning } from './edit-learning.ts';
import { learn } from './learn.ts';
import { removeLearning } from './remove-learning.ts';
import { restoreLearning } from './restore-learning.ts';
import { retry } from './retry.ts';
import { skip } from './skip.ts';
import { stop } from './stop.ts';

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [
    add,
    answer,
    approve,
    edit,
    retry,
    skip,
    stop,
    learn,
    editLearning,
    archiveLearning,
    restoreLearning,
    removeLearning,
    approveFiles,
  ].map((action) => [action.name, action]),
);
