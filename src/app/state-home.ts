import { isAbsolute, join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import type { World } from './world.ts';

/** Where this user's own records live, outside of every project. */
export function stateHome({ XDG_STATE_HOME: chosen, HOME: home }: World['env']): string {
  if (chosen !== undefined && isAbsolute(chosen)) return chosen;
  if (home === undefined || home === '')
    throw new Refusal('HOME is not set; Ralph keeps its record of trust there.');
  return join(home, '.local', 'state');
}
