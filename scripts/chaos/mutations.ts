// Faults that are built into Ralph on purpose: rounds that do not notice them prove nothing.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import type { Victim } from './disturbance.ts';

type Mutation = {
  file: string;
  from: string;
  to: string;
  /** What brings the fault to light most often. */
  only: readonly Victim[];
};

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  /** A run that was killed after it landed work lands the same work again. */
  'no-trailer': {
    file: 'src/host/landing/land-commit.ts',
    from: "return found?.split(' ')[0] ?? null;",
    to: 'void found; return null;',
    only: ['supervisor', 'group'],
  },
  /** What moved a branch meanwhile is overwritten. */
  'no-swap': {
    file: 'src/host/landing/trunk.ts',
    from: "      from ?? '0'.repeat(to.length),\n",
    to: '',
    only: ['person'],
  },
  /** Work that is only in a slot while gates judge it. */
  'gates-first': {
    file: 'src/host/landing/work-refs.ts',
    from: "    await git(repository, ['update-ref', sessionRef(session_id), commit]);\n",
    to: '',
    only: ['slots'],
  },
};

/** An esbuild plugin that builds the fault in. */
export function mutation({ file, from, to }: Mutation): Plugin {
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
