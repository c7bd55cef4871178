import type { Action } from '../action.ts';
import { answer } from './answer.ts';
import { approve } from './approve.ts';
import { retry } from './retry.ts';
import { skip } from './skip.ts';
import { stop } from './stop.ts';

export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [answer, approve, retry, skip, stop].map((action) => [action.name, action]),
);
