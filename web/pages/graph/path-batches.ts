import type { Point } from '../../../src/domain/graph/layout.ts';

/** All shapes of one look in one part of the paper, as one. */
export type Joined = { key: string; look: string; path: string };

/**
 * A browser holds a few large shapes more easily than thousands of small ones. But it paints in tiles, each with all of
 * every shape that meets it: so no shape goes far beyond its cell.
 */
export class Shapes {
  readonly #found = new Map<string, Joined>();
  readonly #cell: number;

  constructor(cell: number) {
    this.#cell = cell;
  }

  add(look: string, { x, y }: Point, path: string): void {
    const key = `${look} ${Math.floor(x / this.#cell)} ${Math.floor(y / this.#cell)}`;
    const known = this.#found.get(key);
    if (known === undefined) this.#found.set(key, { key, look, path });
    else known.path += path;
  }

  of(look: string): Joined[] {
    return [...this.#found.values()].filter((one) => one.look === look);
  }

  get all(): Joined[] {
    return [...this.#found.values()];
  }
}

/** About a hundred in a window, and the same ones while it moves. */
export const cellFor = (width: number): number => 2 ** Math.round(Math.log2(Math.max(1, width / 10)));
