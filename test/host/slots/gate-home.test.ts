import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clearGateHome, makeGateHome } from '../../../src/host/slots/gate-home.ts';
import { openGateHome } from '../../../src/host/slots/open-gate-home.ts';
import { tempDir } from '../../support/temp.ts';

function person() {
  const home = tempDir();
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), content);
  };
  const program = (path: string, line: string): void => {
    write(path, `#!/bin/sh\n${line}\n`);
    chmodSync(join(home, path), 0o755);
  };
  const own = join(tempDir(), 'home');
  const path = [join(home, '.local/bin'), join(home, '.tool/bin'), process.env['PATH']].join(':');
  const make = () => makeGateHome(own, { HOME: home, PATH: path });
  return { home, write, program, own, make };
}

const shell = (env: Record<string, string>, line: string): string =>
  execFileSync('/bin/sh', ['-c', line], { env, encoding: 'utf8' }).trim();

describe('the home of gates', () => {
  it('a file that an agent plants after the start is not in it, and one that it changes is as it was', async () => {
    const { write, make } = person();
    write('.gitconfig', '[user]\n');
    write('.config/pnpm/rc', 'registry=x\n');
    const env = await make();
    write('.npmrc', 'script-shell=/bin/true\n');
    write('.gitconfig', '[core]\nfsmonitor=evil\n');
    write('.config/pnpm/rc', 'script-shell=/bin/true\n');
    expect(shell(env, 'cat ~/.gitconfig ~/.config/pnpm/rc; ls -A ~/.npmrc 2>/dev/null || echo none')).toBe(
      '[user]\nregistry=x\nnone',
    );
  });

  it('npm runs scripts with the shell of the start, though an agent named another', async () => {
    const { home, write, make } = person();
    const env = await make();
    write('.npmrc', 'script-shell=/bin/true\n');
    write('project/package.json', '{ "scripts": { "test": "echo judged" } }');
    const run = `cd ${home}/project && npm test --silent`;
    expect(shell({ ...env, HOME: home }, run)).toBe('');
    expect(shell(env, run)).toBe('judged');
  });

  it('a program that an agent plants in a folder of PATH is not found, and one of the start is', async () => {
    const { home, program, make } = person();
    program('.local/bin/known', 'echo known');
    const env = await make();
    for (const folder of ['.local/bin', '.tool/bin']) program(`${folder}/npm`, 'echo planted');
    expect(shell({ PATH: `${home}/.local/bin:${process.env['PATH']}` }, 'npm --version')).toBe('planted');
    expect(shell(env, 'npm --version')).toMatch(/^\d/);
    expect(shell(env, 'known; ~/.local/bin/known')).toBe('known\nknown');
  });

  it('a tool chain in a linked folder works: beside itself, by the name of a link, and with its caches', async () => {
    const { home, write, program, make } = person();
    program('.tool/bin/beside', 'cat "$(dirname "$0")/../lib/data"');
    write('.tool/lib/data', 'data');
    program('.tool/lib/proxy', 'basename "$0"');
    symlinkSync('../lib/proxy', join(home, '.tool/bin/cargo'));
    write('.cache/tool/entry', 'cached');
    const env = await make();
    expect(shell(env, 'beside; echo; cargo; cat ~/.cache/tool/entry')).toBe('data\ncargo\ncached');
    shell(env, 'echo new > ~/.cache/tool/made');
    expect(readFileSync(join(home, '.cache/tool/made'), 'utf8')).toBe('new\n');
  });

  it('a second one leaves the first alone, and takes over that of a dead process', async () => {
    const { home, write } = person();
    write('.netrc', 'password x');
    const folder = tempDir();
    const place = { repository: { root: home, env: {}, stateDir: folder }, folder };
    const open = () => openGateHome(place, { HOME: home, PATH: '/bin' });
    const [first, second] = [await open(), await open()];
    await second.close();
    const copies = (...names: string[]) => names.map((name) => existsSync(join(folder, name, '.netrc')));
    expect(copies('home', 'home-2')).toEqual([true, false]);
    await open();
    writeFileSync(join(folder, 'home-2.lock'), JSON.stringify({ pid: 2 ** 30, process_started: null }));
    await first.close();
    await open();
    expect(copies('home', 'home-2')).toEqual([true, false]);
  });

  it('only its owner can read it, and the end of a run removes the copies but not what a setup installed', async () => {
    const { home, write, own, make } = person();
    write('.netrc', 'password x');
    write('large', 'x'.repeat(1024 * 1024 + 1));
    write('dotfiles/vimrc', 'set nu');
    symlinkSync('dotfiles/vimrc', join(home, '.vimrc'));
    const { HOME = '' } = await make();
    expect(statSync(HOME).mode & 0o777).toBe(0o700);
    expect(existsSync(join(HOME, 'large'))).toBe(false);
    expect(lstatSync(join(HOME, '.vimrc')).isFile()).toBe(true);
    for (const made of ['.local/bin/installed', '.made/file']) {
      mkdirSync(dirname(join(HOME, made)), { recursive: true });
      writeFileSync(join(HOME, made), '');
    }
    await clearGateHome(own);
    expect(existsSync(join(HOME, '.netrc'))).toBe(false);
    rmSync(join(home, '.netrc'));
    await make();
    expect(existsSync(join(HOME, '.netrc'))).toBe(false);
    expect(existsSync(join(HOME, '.local/bin/installed')) && existsSync(join(HOME, '.made/file'))).toBe(true);
    expect(readFileSync(join(home, 'dotfiles/vimrc'), 'utf8')).toBe('set nu');
  });
});
