// A machine with one Node, npm and git, and nothing else of this one: its own home, its own PATH, its own npm cache.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Ran = { code: number; stdout: string; stderr: string; seconds: number };

export type Machine = {
  folder: string;
  version: string;
  env: Record<string, string>;
  run(command: string, args: readonly string[], options?: { cwd?: string; tools?: boolean }): Promise<Ran>;
};

/** What a shell script and git need, and no compiler. */
const PROGRAMS = ['git', 'sh', 'cat', 'env', 'uname', 'sed', 'basename', 'dirname'];
/** How this machine reaches its package registry. */
const NETWORK = /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

/** Installs Node of this major version from the package registry. */
export function makeMachine(folder: string, major: string): Machine {
  const [bin, home, own] = ['bin', 'home', 'node'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [bin, home, own]) mkdirSync(path, { recursive: true });
  writeFileSync(join(own, 'package.json'), '{}');
  npmHere(['install', '--no-audit', '--no-fund', '--prefix', own, `node@${major}`]);
  const node = realpathSync(join(own, 'node_modules/.bin/node'));
  symlinkSync(node, join(bin, 'node'));
  const npm = npmFolder();
  for (const name of ['npm', 'npx'])
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${node}" "${npm}/bin/${name}-cli.js" "$@"\n`, {
      mode: 0o755,
    });
  for (const name of PROGRAMS) symlinkSync(which(name), join(bin, name));
  writeFileSync(join(home, '.gitconfig'), '[user]\nname = P\nemail = p@example.com\n');
  const env: Record<string, string> = {
    HOME: home,
    PATH: bin,
    TMPDIR: folder,
    RALPH_SANDBOX: 'off',
    npm_config_userconfig: npmHere(['config', 'get', 'userconfig']),
    npm_config_prefix: join(folder, 'global'),
    npm_config_cache: join(folder, 'cache'),
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
  };
  return {
    folder,
    version: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
    env,
    run: (command, args, { cwd = home, tools = false } = {}) => {
      // The compiler is this machine's; Node and npm stay the ones of the try.
      const path = tools ? `${bin}${delimiter}${process.env['PATH']}` : bin;
      const global = join(folder, 'global/bin');
      const started = performance.now();
      return new Promise((done) =>
        execFile(
          join(command === 'ralph' ? global : bin, command),
          args,
          { cwd, env: { ...env, PATH: `${global}${delimiter}${path}` }, maxBuffer: 2 ** 26 },
          (error, stdout, stderr) =>
            done({
              code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
              stdout,
              stderr,
              seconds: (performance.now() - started) / 1_000,
            }),
        ),
      );
    },
  };
}

/** Packages below a folder of modules, Ralph itself included, as `npm install` left them. */
export function countPackages(modules: string): number {
  return readdirSync(modules, { recursive: true, withFileTypes: true }).filter(
    ({ name, parentPath }) => name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/]+$/.test(parentPath),
  ).length;
}

export const npmHere = (args: readonly string[], cwd = '.'): string =>
  execFileSync('npm', args, { encoding: 'utf8', cwd, stdio: ['ignore', 'pipe', 'ignore'] }).trim();

const npmFolder = (): string => join(npmHere(['root', '-g']), 'npm');

const which = (name: string): string =>
  execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
