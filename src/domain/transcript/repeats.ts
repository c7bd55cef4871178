// Counts how often an agent repeats a command or an edit that fails, while nothing else gets on.

/** `key`: equal for steps that do the same. `text`: for people. */
export type Step = { key: string; text: string };

export type Repeat = { text: string; count: number };

export class RepeatCounter {
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
