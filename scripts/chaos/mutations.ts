// Faults that are built into Ralph on purpose: rounds that do not notice them prove nothing.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import type { Victim } from './disturbance.ts';

export type Mutation<Name extends string> = {
  plugin: Plugin;
  /** What brings the fault to light most often. */
  only: readonly Name[];
};

/** Replaces one piece of a file of Ralph's, while it is bundled. */
export type Replacement = { file: string; from: string; to: string };

/** A run that was killed after it landed work lands the same work again. */
export const NO_TRAILER: Replacement = {
  file: 'src/host/landing/land-commit.ts',
  from: "return found?.split(' ')[0] ?? null;",
  to: 'void found; return null;',
};

export const MUTATIONS: Readonly<Record<string, Mutation<Victim>>> = {
  'no-trailer': { plugin: mutation(NO_TRAILER), only: ['supervisor', 'group'] },
  /** What moved a branch meanwhile is overwritten. */
  'no-swap': {
    plugin: mutation({
      file: 'src/host/landing/trunk.ts',
      from: "      from ?? '0'.repeat(to.length),\n",
      to: '',
    }),
    only: ['person'],
  },
  /** Work that is only in a slot while gates judge it. */
  'gates-first': {
    plugin: mutation({
      file: 'src/host/landing/work-refs.ts',
      from: "    await git(repository, ['update-ref', sessionRef(session_id), commit]);\n",
      to: '',
    }),
    only: ['slots'],
  },
};

/** An esbuild plugin that builds the fault in. */
export function mutation({ file, from, to }: Replacement): Plugin {
  return {
    name: 'mutation',
    setup: (build) => {
      build.onLoad({ filter: new RegExp(`${file.replaceAll('.', '\\.')}$`) }, ({ path }) => {
        const source = readFileSync(path, 'utf8');
        if (!source.includes(from)) throw new Error(`${file} has no such line any more: ${from}`);
        return { contents: source.replace(from, to), loader: 'ts' };
      });
    },
  };
}
