import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
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

const FOR_NODE: BuildOptions = { bundle: true, minify: true, platform: 'node', target: 'node20' };

/** Programs of their own, as modules. */
export const bundle = (entries: Record<string, string>, outdir: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: entries,
  outdir,
  splitting: true,
  format: 'esm',
  chunkNames: 'chunks/[name]-[hash]',
  // What CommonJS dependencies call by name does not exist in a module.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
});

/**
 * All of Ralph in one file, as a script: V8 keeps what it has compiled of a script, and Node takes about a millisecond for every file.
 * What is imported late is evaluated late all the same.
 */
const program = (outdir: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: { main: 'src/main.ts' },
  outdir,
  format: 'cjs',
  plugins: [withoutSubprocesses],
  entryNames: '[name]-[hash]',
  // Called by the launcher with what it has and a script has not.
  banner: { js: '(function (require, scriptUrl) {' },
  footer: { js: '})' },
  define: { 'import.meta.url': 'scriptUrl', COMMIT: JSON.stringify(readCommit()) },
  supported: { 'dynamic-import': false },
});

/** What `ralph --version` names; null outside of a repository of Ralph's own, as in an unpacked archive. */
function readCommit(): string | null {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    if (resolve(git('rev-parse', '--show-toplevel')) !== realpathSync('.')) return null;
    const isModified = git('status', '--porcelain', '--untracked-files=no') !== '';
    return `${git('rev-parse', '--short=10', 'HEAD')}${isModified ? ', modified' : ''}`;
  } catch {
    return null;
  }
}

/** One character outside of ASCII, and V8 would hold all of it in twice the room; esbuild leaves those in regular expressions. */
const inAscii = (source: string): string =>
  source.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A client waits for its start, so it has nothing of Ralph in it. */
const relay = (outdir: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: { relay: 'src/relay.ts' },
  outdir,
  format: 'cjs',
});

/** Claude Code waits for it at every turn, so it has little of Ralph in it. */
const statusline = (outdir: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: { statusline: 'src/statusline.ts' },
  outdir,
  format: 'cjs',
});

/** Every run has them beside it, and they are to be small. */
const besideRuns = (outdir: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: { watcher: 'src/cli/internal/watcher.ts', starter: 'src/cli/internal/starter.ts' },
  outdir,
  format: 'cjs',
});

const launcher = (outfile: string, programName: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: ['src/launch.ts'],
  outfile,
  format: 'cjs',
  define: { PROGRAM: JSON.stringify(programName) },
});

/** The first program in a sandbox, by itself. */
const sandboxInit = (outdir: string): BuildOptions => ({
  ...FOR_NODE,
  entryPoints: ['src/sandbox-init.ts'],
  outfile: join(outdir, 'sandbox-init.mjs'),
  format: 'esm',
});

/** The page of `ralph ui`: a script with what stands around every page, one a page beside it, and one style. */
const page = (outdir: string): BuildOptions => ({
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

/** Everything that `ralph` consists of. Answers with the file to start. */
export async function buildRalph(outdir: string, plugins: readonly Plugin[] = []): Promise<string> {
  const ralph = join(outdir, 'ralph.js');
  const [{ outputFiles }] = await Promise.all([
    build({ ...program(outdir), plugins: [withoutSubprocesses, ...plugins], write: false }),
    build(page(join(outdir, 'web'))),
    build(sandboxInit(outdir)),
    build(relay(outdir)),
    build(statusline(outdir)),
    build(besideRuns(outdir)),
  ]);
  const [made] = outputFiles;
  if (made === undefined) throw new Error('esbuild made nothing of src/main.ts.');
  writeFileSync(made.path, inAscii(made.text));
  await build(launcher(ralph, basename(made.path)));
  chmodSync(ralph, 0o755);
  writeFileSync(join(outdir, 'package.json'), '{"type":"commonjs"}\n');
  copyFileSync('web/index.html', join(outdir, 'web', 'index.html'));
  return ralph;
}

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'build', version: '1' } },
};

/** Each part of it once, so that the first start of a person is as fast as any other. */
export function startOnce(ralph: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-build-'));
  const start = (args: readonly string[], input = '') =>
    execFileSync(process.execPath, [ralph, ...args], {
      cwd: folder,
      env: { HOME: folder, RALPH_SANDBOX: 'off' },
      input,
      stdio: 'pipe',
      // A failure then shows what Ralph printed, not its bytes.
      encoding: 'utf8',
    });
  try {
    mkdirSync(join(folder, '.ralph'));
    start(['list']);
    // The first one has read the definitions, which most starts need not: what it kept is more than they want.
    for (const name of readdirSync(dirname(ralph)))
      if (name.endsWith('.cache')) rmSync(join(dirname(ralph), name));
    start(['list']);
    start(['serve'], `${JSON.stringify(HELLO)}\n`);
    start(['statusline']);
    // An agent that ends at once: its session needs most of what any run needs.
    const command = JSON.stringify([process.execPath, '-e', '']);
    writeFileSync(
      join(folder, '.ralph', 'config.yaml'),
      `agent: idle\nagents: { idle: { command: ${command} } }\n`,
    );
    for (const args of [
      ['trust', '--yes'],
      ['add', 'One'],
      ['run', '--once'],
    ])
      start(args);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
