import type { BuildOptions, Plugin } from 'esbuild';

/** Commander loads child_process for subcommands that are programs of their own; ours are not, and it costs each start. */
const withoutSubprocesses: Plugin = {
  name: 'without-subprocesses',
  setup(build) {
    build.onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: 'nothing', namespace: 'nothing' } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * One bundle: an entry, and beside it what only some commands need (zod and yaml above all), loaded when they ask for it.
 * Starting `ralph` then costs little more than starting Node.
 */
export const bundle = (entries: Record<string, string>, outdir: string): BuildOptions => ({
  entryPoints: entries,
  outdir,
  bundle: true,
  splitting: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  plugins: [withoutSubprocesses],
  chunkNames: 'chunks/[name]-[hash]',
  // What CommonJS dependencies call by name does not exist in a module.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
});
