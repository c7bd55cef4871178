import type { Action } from '../action.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { retry } from './retry.ts';
import { skip } from './skip.ts';

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [answer, approve, retry, skip].map((action) => [action.name, action]),
);
