import type { Action } from '../action.ts';
import { add } from './add.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { edit } from './edit.ts';
import { retry } from './retry.ts';
import { skip } from './skip.ts';
import { stop } from './stop.ts';

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [add, answer, approve, edit, retry, skip, stop].map((action) => [action.name, action]),
);
