// A session that repeats one failing step gets nowhere. Its guard tells the agent so once; then Ralph ends the session.
import { RepeatCounter } from '../../domain/transcript/repeats.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { repeatFile, TRANSIENT } from '../../host/session-folder.ts';
import type { Observation } from './agent.ts';

export type RepeatWatch = {
  /** The step because of which the session is to end, or null. */
  observe(observation: Observation): string | null;
  /** Resolves when the warning is written, if there is one. */
  written(): Promise<void>;
};

/** `most`: failures of one step before the warning, and again after it. */
export function watchRepeats(folder: string, most: number): RepeatWatch {
  const counter = new RepeatCounter();
  let writing: Promise<void> = Promise.resolve();
  return {
    observe: (observation) => {
      if (observation.kind === 'step_begun') counter.begin(observation.id, observation.step);
      if (observation.kind !== 'step_ended') return null;
      const repeat = counter.end(observation.id, observation.hasFailed);
      if (repeat === null) return null;
      const { text, count } = repeat;
      // A session that cannot be warned goes on as before.
      if (count === most)
        writing = writeFileWhole(repeatFile(folder), warning(text, most), TRANSIENT).catch(() => {});
      return count >= 2 * most ? text : null;
    },
    written: () => writing,
  };
}

const warning = (step: string, most: number): string =>
  `This step has failed ${most} times, and nothing new succeeded in between: ${step}\nRead its error again and do something else, or report stuck with what you tried. After ${most} more failures of it Ralph ends the session.\n`;
