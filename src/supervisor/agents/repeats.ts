// A session that repeats one failing step gets nowhere. Its guard tells the agent so once; then Ralph ends the session.
import { RepeatCounter } from '../../domain/transcript/repeats.ts';
import type { Observation } from './agent.ts';

export type RepeatWatch = {
  /** The step because of which the session is to end, or null. */
  observe(observation: Observation): string | null;
  /** What the guard is to tell the agent before its next step; once. */
  takeWarning(): string | null;
};

/** `most`: failures of one step before the warning, and again after it. */
export function watchRepeats(most: number): RepeatWatch {
  const counter = new RepeatCounter();
  let pending: string | null = null;
  return {
    observe: (observation) => {
      if (observation.kind === 'step_begun') counter.begin(observation.id, observation.step);
      if (observation.kind !== 'step_ended') return null;
      const repeat = counter.end(observation.id, observation.hasFailed);
      if (repeat === null) return null;
      const { text, count } = repeat;
      if (count === most) pending = warning(text, most);
      return count >= 2 * most ? text : null;
    },
    takeWarning: () => {
      const text = pending;
      pending = null;
      return text;
    },
  };
}

const warning = (step: string, most: number): string =>
  `This step has failed ${most} times, and nothing new succeeded in between: ${step}\nRead its error again and do something else, or report stuck with what you tried. After ${most} more failures of it Ralph ends the session.\n`;
