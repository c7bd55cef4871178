// A session that repeats one failing step gets nowhere. Its guard tells the agent so once; then Ralph ends the session.
import type { Observation } from './agent.ts';

// Counts how often an agent repeats a command or an edit that fails, while nothing else gets on.

/** `key`: equal for steps that do the same. `text`: for people. */
export type Step = { key: string; text: string };

type Repeat = { text: string; count: number };

class RepeatCounter {
  readonly #running = new Map<string, Step>();
  readonly #failures = new Map<string, number>();
  readonly #succeeded = new Set<string>();

  begin(id: string, step: Step): void {
    this.#running.set(id, step);
  }

  /** How often the step has failed by now; null if it did not fail, or is not known. */
  end(id: string, hasFailed: boolean): Repeat | null {
    const step = this.#running.get(id);
    this.#running.delete(id);
    if (step === undefined) return null;
    if (hasFailed) {
      const count = (this.#failures.get(step.key) ?? 0) + 1;
      this.#failures.set(step.key, count);
      return { text: step.text, count };
    }
    // Something new that succeeds may be what the failing step lacked. The same again is part of a loop.
    if (!this.#succeeded.has(step.key)) this.#failures.clear();
    this.#succeeded.add(step.key);
    return null;
  }
}

const MAX_KEY = 4_000;
const MAX_SHOWN = 200;

/** `does`: everything that the step is given. Its length tells apart long ones that begin alike. */
export const toStep = (tool: string, text: string, does: string): Step => ({
  key: `${tool} ${does.length} ${does.slice(0, MAX_KEY)}`,
  text: `${tool} ${text}`.slice(0, MAX_SHOWN),
});

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
