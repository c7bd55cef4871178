// Faults that are built into Ralph on purpose: rounds that do not notice them prove nothing.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';
import type { Victim } from './disturbance.ts';

export type Mutation<Name extends string> = {
  replacement: Replacement;
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
  'no-trailer': { replacement: NO_TRAILER, only: ['supervisor', 'group'] },
  /** What moved a branch meanwhile is overwritten. */
  'no-swap': {
    replacement: {
      file: 'src/host/landing/trunk.ts',
      from: 'const input = [\n',
      to: 'from = await readRef(repository, ref);\n    const input = [\n',
    },
    only: ['person'],
  },
  /** Work that is only in a slot while gates judge it. */
  'gates-first': {
    replacement: {
      file: 'src/host/landing/work-refs.ts',
      from: '    await holdCommit(repository, sessionRef(session_id), commit);\n',
      to: '',
    },
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
        return { contents: replaceOnce(source, { file, from, to }), loader: 'ts' };
      });
    },
  };
}

/** Fails where the piece is not there exactly once: a fault that is not built in proves nothing either. */
export function replaceOnce(source: string, { file, from, to }: Replacement): string {
  const count = source.split(from).length - 1;
  if (count !== 1) throw new Error(`${file} has this ${count} times, not once: ${from}`);
  // By a function: in a text, `$` would have a meaning.
  return source.replace(from, () => to);
}
