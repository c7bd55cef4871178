import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeGateHome } from '../../../src/host/slots/gate-home.ts';
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
  const make = (more: Record<string, string> = {}) =>
    makeGateHome(own, { HOME: home, PATH: path, ...more }, { isHidden: false });
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

  it('what an agent changes or adds in a folder of settings is not in it, also where a variable names the folder', async () => {
    const { home, write, make } = person();
    write('.cargo/config.toml', 'jobs = 2\n');
    write('.m2/repository/a.jar', 'jar\n');
    write('.cache/tool/entry', 'cached\n');
    const env = await make({ CARGO_HOME: join(home, '.cargo'), XDG_CACHE_HOME: join(home, '.cache/') });
    write('.cargo/config.toml', 'runner = "true"\n');
    write('.cargo/config', 'runner = "true"\n');
    write('.m2/settings.xml', '<planted/>\n');
    const listed =
      'cat "$CARGO_HOME/config.toml" ~/.m2/repository/a.jar; ls -A ~/.cargo ~/.m2 "$XDG_CACHE_HOME"';
    expect(shell(env, listed).replaceAll(`${env['HOME']}`, '~')).toBe(
      'jobs = 2\njar\n~/.cache:\ntool\n\n~/.cargo:\nconfig.toml\n\n~/.m2:\nrepository',
    );
    shell(env, 'echo x > ~/.cache/left; echo x > ~/.cargo/config.toml');
    expect(existsSync(join(home, '.cache/left'))).toBe(false);
    expect(readFileSync(join(home, '.cargo/config.toml'), 'utf8')).toBe('runner = "true"\n');
  });

  it('large files, locks, sockets and pipes of a tool are those of the person, and so is a folder of many files', async () => {
    const { home, write, make } = person();
    write('.tool/large', 'x'.repeat(1024 * 1024 + 1));
    write('.cargo/.package-cache', '');
    write('.many/1', 'one\n');
    for (let nth = 2; nth <= 301; nth++) write(`.many/${nth}`, '');
    write('.ssh/config', 'Host x\n');
    execFileSync('mkfifo', [join(home, '.tool/pipe'), join(home, 'pipe')]);
    const { HOME = '' } = await make();
    for (const path of ['.tool/large', '.tool/pipe', '.cargo/.package-cache', '.many', '.ssh'])
      expect(readlinkSync(join(HOME, path))).toBe(join(home, path));
    expect(existsSync(join(HOME, 'pipe'))).toBe(false);
  });

  it('links that lead nowhere or to themselves, and files that went away, do not keep it from being made', async () => {
    const { home, write, make } = person();
    write('.tool/settings', 'mine\n');
    write('elsewhere/app.rc', 'linked\n');
    symlinkSync('nowhere', join(home, '.dangling'));
    symlinkSync('.loop', join(home, '.loop'));
    symlinkSync('/nowhere/at/all', join(home, '.tool/dangling'));
    symlinkSync('.', join(home, '.tool/itself'));
    symlinkSync(join(home, 'elsewhere'), join(home, '.linked'));
    const env = await make();
    expect(shell(env, 'cd; ls -A . .tool; cat .tool/settings .linked/app.rc')).toBe(
      '.:\n.linked\n.local\n.tool\nbin\nelsewhere\n\n.tool:\nitself\nsettings\nmine\nlinked',
    );
  });

  it('where the sandbox hides the home of the person, folders of settings are only linked', async () => {
    const { home, write, own } = person();
    write('.aws/credentials', 'key\n');
    write('.config/git/config', '[user]\n');
    await makeGateHome(own, { HOME: home, PATH: '/bin' }, { isHidden: true });
    expect(lstatSync(join(own, '.aws')).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(own, '.config/git/config')).isFile()).toBe(true);
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
    const open = () => openGateHome({ folder }, { HOME: home, PATH: '/bin' }, { isHidden: false });
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

  it('only its owner can read it', async () => {
    const { home, write, make } = person();
    write('.netrc', 'password x');
    write('large', 'x'.repeat(1024 * 1024 + 1));
    write('dotfiles/vimrc', 'set nu');
    symlinkSync('dotfiles/vimrc', join(home, '.vimrc'));
    const { HOME = '' } = await make();
    expect(statSync(HOME).mode & 0o777).toBe(0o700);
    expect(existsSync(join(HOME, 'large'))).toBe(false);
    expect(lstatSync(join(HOME, '.vimrc')).isFile()).toBe(true);
    rmSync(join(home, '.netrc'));
    await make();
    expect(existsSync(join(HOME, '.netrc'))).toBe(false);
    expect(readFileSync(join(home, 'dotfiles/vimrc'), 'utf8')).toBe('set nu');
  });
});
