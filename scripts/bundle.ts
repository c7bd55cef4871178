import { readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';

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

const CORE = ['domain', 'store', 'queue'].map((folder) => resolve('src', folder));
/** They greet a client, or answer a hook, before they need any of it. */
const WITHOUT_CORE = /src[\\/](cli[\\/](serve-stdio|hook)|server[\\/])/;

/**
 * esbuild makes a file for every set of parts that are needed together, and Node takes about a millisecond for each. What almost
 * every command needs is made one file, by having everything that is loaded late ask for all of it.
 */
const oneCore: Plugin = {
  name: 'one-core',
  setup(build) {
    const late = lateModules(resolve('src'));
    build.onResolve({ filter: /^ralph:core$/ }, () => ({ path: 'core', namespace: 'core' }));
    build.onLoad({ filter: /.*/, namespace: 'core' }, () => ({
      contents: CORE.flatMap(sourcesIn)
        .map((file) => `import ${JSON.stringify(file)};`)
        .join('\n'),
      resolveDir: resolve('src'),
    }));
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) =>
      late.has(path) && !WITHOUT_CORE.test(path)
        ? { contents: `${readFileSync(path, 'utf8')}\nimport 'ralph:core';\n`, loader: 'ts' }
        : undefined,
    );
  },
};

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

/** What somebody imports by `import(...)`. */
const lateModules = (folder: string): Set<string> =>
  new Set(
    sourcesIn(folder).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bimport\(\s*'(\.[^']+)'\s*\)/g)].map(([, target = '']) =>
        resolve(dirname(file), target),
      ),
    ),
  );

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
  plugins: [withoutSubprocesses, oneCore],
  chunkNames: 'chunks/[name]-[hash]',
  // What CommonJS dependencies call by name does not exist in a module.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
});

/** The page of `ralph ui`: a script with what stands around every page, one a page beside it, and one style. */
const pageBundle = (outdir: string): BuildOptions => ({
  entryPoints: [
    { in: 'web/main.tsx', out: 'app' },
    { in: 'web/style/index.css', out: 'app' },
  ],
  outdir,
  bundle: true,
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
});

/** Everything that `ralph` consists of. */
export async function buildRalph(entries: Record<string, string>, outdir: string): Promise<void> {
  const page = join(outdir, 'web');
  await Promise.all([build(bundle(entries, outdir)), build(pageBundle(page))]);
  await copyFile('web/index.html', join(page, 'index.html'));
}
