import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/domain/config.ts';
import { clearGateHomes } from '../../../src/host/slots/gate-files.ts';
import { makeGateHome } from '../../../src/host/slots/gate-home.ts';
import { prepareSlot } from '../../../src/host/slots/prepare-slot.ts';
import { slotAt } from '../../../src/host/slots/slot.ts';
import { homeEnvironment } from '../../../src/host/slots/slot-home.ts';
import { SLOTS, slotRepository, TRUNK } from '../../support/slots.ts';

const SETUP =
  'mkdir -p cache/lib && echo lib > cache/lib/a.js && ln -s a.js cache/lib/b.js && echo x >> "$HOME/tool"';

/** A slot for gates that was set up, with a home; `gate` writes what a gate could have written. */
async function gateSlot({ slots = {}, included = [] as string[], below = '' }: Options = {}) {
  const repository = await slotRepository({ below });
  const home = join(repository.folder, 'person');
  mkdirSync(home);
  writeFileSync(join(home, '.npmrc'), 'registry=x\n');
  const env = { ...repository.place.env, HOME: home };
  const runHome = join(repository.slots.folder, 'home');
  const gateEnv = { ...env, ...(await makeGateHome(runHome, env, { isHidden: false })) };
  const slot = slotAt({ ...repository.slots, home: runHome }, 'gates', 1, 90);
  const trunk = () => repository.git('update-ref', 'refs/heads/ralph/main', 'HEAD');
  trunk();
  const prepare = async (): Promise<string[]> => {
    const steps: string[] = [];
    const commit = repository.git('rev-parse', 'HEAD');
    await prepareSlot(
      slot,
      { head: { commit, branch: null, trunk: TRUNK }, tree: commit },
      {
        slots: { ...SLOTS, setup: SETUP, ...slots },
        names: [],
        included,
        env: gateEnv,
        onStep: (_, step, ended) => ended && steps.push(step),
      },
    );
    return steps;
  };
  await prepare();
  const at = (path: string): string =>
    path.startsWith('~/') ? join(slot.folder, 'home', path.slice(2)) : join(slot.tree, path);
  const gate = (path: string, text = 'evil\n'): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  };
  const read = (path: string): string | null =>
    existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null;
  return { repository, home, env, runHome, gateEnv, slot, prepare, at, gate, read, trunk };
}
type Options = { slots?: Partial<Config['slots']>; included?: string[]; below?: string };

describe('what a gate leaves in its slot', () => {
  it('files that a gate adds to ignored folders or to the home are gone before the next tree is judged', async () => {
    const { prepare, gate, read, at } = await gateSlot();
    for (const path of [
      'cache/lib/evil.js',
      'cache/new/deep/evil.js',
      'ignored.txt',
      '~/.evilrc',
      '~/.cache/x',
    ])
      gate(path);
    mkdirSync(at('cache/empty'));
    symlinkSync('/etc', at('cache/away'));
    // Hides itself from git.
    gate('hidden/.gitignore', '*\n');
    expect(await prepare()).toEqual([]);
    for (const path of [
      'cache/lib/evil.js',
      'cache/new',
      'ignored.txt',
      'cache/empty',
      'cache/away',
      'hidden',
    ])
      expect([path, existsSync(at(path))]).toEqual([path, false]);
    expect(existsSync(at('~/.evilrc')) || existsSync(at('~/.cache'))).toBe(false);
    expect([read('cache/lib/a.js'), read('cache/lib/b.js'), read('~/tool')]).toEqual([
      'lib\n',
      'lib\n',
      'x\n',
    ]);
  });

  it.each<[string, (it: Awaited<ReturnType<typeof gateSlot>>) => void]>([
    ['is changed, with its size and time as before', ({ at }) => changeQuietly(at('cache/lib/a.js'))],
    ['is removed', ({ at }) => rmSync(at('cache/lib/a.js'))],
    ['gets another mode', ({ at }) => chmodSync(at('cache/lib/a.js'), 0o777)],
    [
      'becomes a link to another',
      ({ at }) => {
        rmSync(at('cache/lib/b.js'));
        symlinkSync('/etc/passwd', at('cache/lib/b.js'));
      },
    ],
    ['in the home is changed', ({ at }) => changeQuietly(at('~/tool'))],
  ])('the setup runs again, from scratch, if a file that it made %s', async (_, change) => {
    const slot = await gateSlot();
    change(slot);
    expect((await slot.prepare()).filter((step) => step === 'setup')).toEqual(['setup']);
    const { read } = slot;
    expect([read('cache/lib/a.js'), read('cache/lib/b.js'), read('~/tool')]).toEqual([
      'lib\n',
      'lib\n',
      'x\n',
    ]);
    expect(await slot.prepare()).toEqual([]);
  });

  it('a file that other slots share by a hard link may get another name, but no other content', async () => {
    const slot = await gateSlot({ slots: { setup: `${SETUP} && ln cache/lib/a.js cache/lib/shared.js` } });
    linkSync(slot.at('cache/lib/shared.js'), join(slot.repository.folder, 'other-slot.js'));
    expect(await slot.prepare()).toEqual([]);
    changeQuietly(join(slot.repository.folder, 'other-slot.js'));
    expect(await slot.prepare()).toEqual(['setup']);
  });

  it('files of the person that a gate changes in its home are put back without a setup', async () => {
    const { prepare, gate, read, at } = await gateSlot();
    gate('~/.npmrc', 'script-shell=/bin/true\n');
    expect(await prepare()).toEqual([]);
    expect(read('~/.npmrc')).toBe('registry=x\n');
    rmSync(at('~/.npmrc'));
    mkdirSync(at('~/.npmrc'));
    expect(await prepare()).toEqual([]);
    expect(read('~/.npmrc')).toBe('registry=x\n');
  });

  it('without a setup, every ignored file goes but those of .worktreeinclude', async () => {
    const { prepare, gate, read, repository } = await gateSlot({
      slots: { setup: null },
      included: ['.env'],
    });
    repository.write('.env', 'TOKEN=1\n');
    gate('cache/x');
    gate('.env/x');
    expect(await prepare()).toEqual([]);
    expect([read('cache/x'), read('.env')]).toEqual([null, 'TOKEN=1\n']);
  });

  it('slots.keep names what gates may leave, from the folder of the project on', async () => {
    const keep = ['cache/build/', '**/*.info', '~/.cache/**'];
    const { prepare, gate, read } = await gateSlot({
      slots: { keep, setup: 'mkdir -p cache' },
      below: 'lib',
    });
    for (const path of [
      'lib/cache/build/deep/x',
      'lib/cache/a.info',
      'lib/cache/x',
      'cache/build/x',
      '~/.cache/x',
    ])
      gate(path);
    expect(await prepare()).toEqual([]);
    const left = ['lib/cache/build/deep/x', 'lib/cache/a.info', '~/.cache/x'];
    expect(left.map(read)).toEqual(left.map(() => 'evil\n'));
    expect([read('lib/cache/x'), read('cache/build/x')]).toEqual([null, null]);
  });

  it('what a setup made for a tree that did not land counts for no other tree', async () => {
    const { prepare, repository, at, trunk, read } = await gateSlot({
      slots: { setup: 'sh src/app.js; true' },
    });
    repository.write('src/app.js', 'mkdir -p cache; echo evil > cache/made\n');
    repository.commit('Not landed');
    rmSync(at('.'), { recursive: true });
    await prepare();
    expect(read('cache/made')).toBe('evil\n');
    // The same tree again: nothing of another tree is in the slot.
    expect(await prepare()).toEqual([]);
    repository.git('reset', '-q', '--hard', 'HEAD^');
    repository.write('src/app.js', 'mkdir -p cache; echo good > cache/made\n');
    repository.commit('Another');
    expect(await prepare()).toEqual(['setup']);
    expect(read('cache/made')).toBe('good\n');
    trunk();
    repository.write('lib/tool.js', 'later\n');
    repository.commit('On top of it');
    expect(await prepare()).toEqual([]);
  });
});

describe('the homes of gates', () => {
  it('each slot has a copy of its own, which follows the run', async () => {
    const { repository, home, env, runHome, gateEnv, slot, prepare, read } = await gateSlot();
    const own = homeEnvironment(slot, gateEnv);
    expect(own['HOME']).toBe(join(slot.folder, 'home'));
    expect(own['PATH']).toContain(process.env['PATH'] ?? '');
    await clearGateHomes(repository.slots);
    expect([read('~/.npmrc'), read('~/tool')]).toEqual([null, 'x\n']);
    writeFileSync(join(home, '.npmrc'), 'registry=y\n');
    writeFileSync(join(home, '.newrc'), 'new\n');
    await makeGateHome(runHome, env, { isHidden: false });
    expect(await prepare()).toEqual([]);
    expect([read('~/.npmrc'), read('~/.newrc'), read('~/tool')]).toEqual(['registry=y\n', 'new\n', 'x\n']);
    rmSync(join(home, '.newrc'));
    await makeGateHome(runHome, env, { isHidden: false });
    expect(await prepare()).toEqual([]);
    expect([read('~/.npmrc'), read('~/.newrc')]).toEqual(['registry=y\n', null]);
  });
});

/** As a program without privileges can: size and time of the last write stay. */
function changeQuietly(path: string): void {
  const { atime, mtime, size } = statSync(path);
  writeFileSync(path, `${'!'.repeat(size - 1)}\n`);
  utimesSync(path, atime, mtime);
}
