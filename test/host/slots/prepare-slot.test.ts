import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/domain/config.ts';
import { MachineFailed, NeedsPerson } from '../../../src/domain/refusal.ts';
import { findExecutable } from '../../../src/host/processes/find-executable.ts';
import { takeSlot } from '../../../src/host/slots/fill-slot.ts';
import { includedFiles } from '../../../src/host/slots/include-files.ts';
import { prepareSlot } from '../../../src/host/slots/prepare-slot.ts';
import { whyNoSlots } from '../../../src/host/slots/require-slots.ts';
import { slotEnvironment } from '../../../src/host/slots/slot.ts';
import {
  firstSlot,
  SLOTS,
  slotRepository,
  type TestRepository,
  TRUNK,
  withDyingGit,
  writeIn,
} from '../../support/slots.ts';

/** Makes the first slot ready for HEAD. */
async function prepare(
  repository: TestRepository,
  slots: Partial<Config['slots']> = {},
  included: readonly string[] = [],
  beforeSetUp: () => Promise<void> = async () => {},
): Promise<string[]> {
  const steps: string[] = [];
  const commit = repository.git('rev-parse', 'HEAD');
  const head = { commit, branch: 'task-1', trunk: TRUNK };
  await prepareSlot(
    firstSlot(repository),
    { head, tree: commit },
    {
      slots: { ...SLOTS, ...slots },
      names: Object.keys(slots.env ?? {}),
      included,
      env: repository.place.env,
      beforeSetUp,
      onStep: (_, step, ended) => steps.push(`${step} ${ended ? 'ended' : 'began'}`),
    },
  );
  return steps;
}

it('a git that dies while a slot is made ready leaves no other git at work in it', async () => {
  const repository = withDyingGit(await slotRepository(), 'never', 'before');
  const real = findExecutable('git', process.env['PATH']);
  const mark = (name: string): string => join(repository.folder, name);
  // The one that lists folders dies while the other fills the slot, which then still has something to do.
  const script = `
case "$*" in
  *ls-tree*-rdz*) until [ -e '${mark('begun')}' ]; do '${real}' version; done; touch '${mark('died')}'; kill -9 $$ ;;
  *read-tree*) touch '${mark('begun')}'; until [ -e '${mark('died')}' ]; do '${real}' version; done
    for _ in 1 2 3 4 5 6 7 8; do '${real}' version; done; touch '${mark('ended')}' ;;
esac >/dev/null
exec '${real}' "$@"`;
  repository.write('../bin/git', `#!/bin/sh\n${script}\n`);
  await expect(prepare(repository)).rejects.toThrow(MachineFailed);
  expect(existsSync(mark('ended'))).toBe(true);
});

describe('the setup of a slot', () => {
  const SETUP = { setup: 'mkdir -p cache && cat lock.txt >> cache/installed', stamp: ['lock.txt'] };

  async function withLock(): Promise<TestRepository & { installed(): string; lockIs(text: string): void }> {
    const repository = await slotRepository();
    const lockIs = (text: string): void => {
      repository.write('lock.txt', text);
      repository.commit(`Lock ${text}`);
    };
    lockIs('a\n');
    const { tree } = firstSlot(repository);
    return { ...repository, installed: () => readFileSync(join(tree, 'cache/installed'), 'utf8'), lockIs };
  }

  it('the setup runs in a new slot, and again only if a file of the stamp has changed', async () => {
    const repository = await withLock();
    expect(await prepare(repository, SETUP)).toEqual([
      'making began',
      'making ended',
      'setup began',
      'setup ended',
    ]);
    expect(await prepare(repository, SETUP)).toEqual([]);
    expect(repository.installed()).toBe('a\n');
    repository.lockIs('b\n');
    await prepare(repository, SETUP);
    // From scratch: what the older setup left is gone.
    expect(repository.installed()).toBe('b\n');
    await prepare(repository, { ...SETUP, setup: `${SETUP.setup}; true` });
    expect(repository.installed()).toBe('b\n');
    await prepare(repository, { ...SETUP, clean: true });
    expect(repository.installed()).toBe('b\n');
  });

  it('a setup that failed charges no task, names its log, and runs again', async () => {
    const repository = await withLock();
    await prepare(repository, SETUP);
    repository.lockIs('b\n');
    const failing = { ...SETUP, setup: 'echo no network >&2; false' };
    await expect(prepare(repository, failing)).rejects.toThrow(MachineFailed);
    await expect(prepare(repository, failing)).rejects.toThrow(/no network.*work-1\.setup\.log/);
    // Back at the lock file of the last setup that passed: the failed one has removed what that had made.
    repository.lockIs('a\n');
    await prepare(repository, SETUP);
    expect(repository.installed()).toBe('a\n');
  });

  it('the setup does not run with files that may not judge, and runs once they may', async () => {
    const repository = await withLock();
    const refuse = async (): Promise<void> => {
      expect(existsSync(join(firstSlot(repository).tree, 'lock.txt'))).toBe(true);
      throw new NeedsPerson('May these files judge?');
    };
    for (const _ of [1, 2])
      await expect(prepare(repository, SETUP, [], refuse)).rejects.toThrow('May these files judge?');
    expect(existsSync(join(firstSlot(repository).tree, 'cache'))).toBe(false);
    await prepare(repository, SETUP);
    expect(repository.installed()).toBe('a\n');
    // Nothing runs, so nobody is asked.
    expect(await prepare(repository, SETUP, [], refuse)).toEqual([]);
  });

  it('a slot that was made anew is set up, even if its maker was killed before the setup', async () => {
    const repository = await withLock();
    await prepare(repository, SETUP);
    const slot = firstSlot(repository);
    rmSync(slot.tree, { recursive: true });
    // Made anew by a run without setup: as if it had been killed before that.
    await prepare(repository, { stamp: ['lock.txt'] });
    expect(existsSync(join(slot.tree, 'cache/installed'))).toBe(false);
    await prepare(repository, SETUP);
    expect(repository.installed()).toBe('a\n');
  });

  it('a damaged slot is repaired and set up', async () => {
    const repository = await withLock();
    await prepare(repository, SETUP);
    const slot = firstSlot(repository);
    writeFileSync(slot.index, 'no index');
    expect(await prepare(repository, SETUP)).toEqual(['repaired ended', 'setup began', 'setup ended']);
    expect(repository.installed()).toBe('a\n');
  });

  const MADE_ANEW = ['repaired ended', 'setup began', 'setup ended'];

  it('a .git that an agent makes in a folder of the last commit reaches no later session', async () => {
    const repository = await withLock();
    await prepare(repository, SETUP);
    repository.write('new/deep/file.txt', 'text\n');
    repository.commit('Add folders');
    expect(await prepare(repository, SETUP)).toEqual([]);
    for (const folder of ['new', 'new/deep']) {
      const inner = join(firstSlot(repository).tree, folder, '.git');
      mkdirSync(inner);
      expect(await prepare(repository, SETUP)).toEqual(MADE_ANEW);
      expect(existsSync(inner)).toBe(false);
    }
  });

  it('what git does not list in a slot, or does not restore, reaches no later session', async () => {
    const repository = await withLock();
    await prepare(repository, SETUP);
    const { tree } = firstSlot(repository);
    const [pipe, inner] = [join(tree, 'src/pipe'), join(tree, 'src/.git')];
    const [lib, moved] = [join(tree, 'lib'), join(repository.folder, 'moved')];
    execFileSync('mkfifo', [pipe]);
    expect(await prepare(repository, SETUP)).toEqual([]);
    expect(existsSync(pipe)).toBe(false);
    // Git in that folder would obey its settings. A setup may have made it, so that runs again.
    mkdirSync(inner);
    expect(await prepare(repository, SETUP)).toEqual(MADE_ANEW);
    expect(existsSync(inner)).toBe(false);
    // Git takes the files for written, and removes the link.
    renameSync(lib, moved);
    symlinkSync(moved, lib);
    expect(await prepare(repository, SETUP)).toEqual(MADE_ANEW);
    expect(existsSync(join(lib, 'tool.js'))).toBe(true);
  });

  it('everything in a slot gets a port, a number and a temporary folder of its own', async () => {
    const repository = await slotRepository();
    const slot = firstSlot(repository);
    const env = { DATABASE: 'test_{slot}', PORT: '3{slot}00', RALPH_SLOT: '7' };
    expect(slotEnvironment(slot, env)).toEqual({
      DATABASE: 'test_1',
      PORT: '3100',
      RALPH_SLOT: '1',
      RALPH_PORT: '20100',
      TMPDIR: slot.tmp,
    });
    await prepare(repository, { setup: 'echo $RALPH_SLOT $DATABASE $TMPDIR > ignored.txt', env });
    expect(readFileSync(join(slot.tree, 'ignored.txt'), 'utf8')).toBe(`1 test_1 ${slot.tmp}\n`);
  });
});

describe('the files of .worktreeinclude', () => {
  async function withIncluded(): Promise<{ repository: TestRepository; included: string[] }> {
    const repository = await slotRepository();
    repository.write('.worktreeinclude', '.env\ncache/*.cfg\nsrc/app.js\nlinked\n');
    repository.commit('Include');
    repository.write('.env', 'TOKEN=1\n');
    repository.write('cache/a.cfg', 'a\n');
    repository.write('cache/other.txt', 'b\n');
    chmodSync(join(repository.top, '.env'), 0o400);
    symlinkSync('/etc/passwd', join(repository.top, 'linked'));
    return { repository, included: await includedFiles(repository.place) };
  }

  it('ignored files that it names are copied into a slot, and are never part of the work', async () => {
    const { repository, included } = await withIncluded();
    expect(included).toEqual(['.env', 'cache/a.cfg']);
    await prepare(repository, {}, included);
    const slot = firstSlot(repository);
    expect(readFileSync(join(slot.tree, '.env'), 'utf8')).toBe('TOKEN=1\n');
    expect(readFileSync(join(slot.tree, 'cache/a.cfg'), 'utf8')).toBe('a\n');
    expect(existsSync(join(slot.tree, 'linked'))).toBe(false);
    writeIn(slot, '.gitignore', '');
    const head = repository.git('rev-parse', 'HEAD');
    const { tree } = await takeSlot(slot, head, included);
    const names = repository.git('diff-tree', '-r', '--name-only', head, tree);
    expect(names).toBe('.gitignore');
  });

  it('they are copied through no link, and into no file outside the slot', async () => {
    const { repository, included } = await withIncluded();
    await prepare(repository, {}, included);
    const slot = firstSlot(repository);
    const elsewhere = join(repository.folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'hard'), 'mine\n');
    rmSync(join(slot.tree, '.env'));
    linkSync(join(elsewhere, 'hard'), join(slot.tree, '.env'));
    rmSync(join(slot.tree, 'cache'), { recursive: true });
    symlinkSync(elsewhere, join(slot.tree, 'cache'));
    await prepare(repository, {}, included);
    expect(readFileSync(join(elsewhere, 'hard'), 'utf8')).toBe('mine\n');
    expect(existsSync(join(elsewhere, 'a.cfg'))).toBe(false);
    expect(readFileSync(join(slot.tree, '.env'), 'utf8')).toBe('TOKEN=1\n');
    // A file of the person that has become a link is left out.
    rmSync(join(repository.top, '.env'));
    symlinkSync('/etc/passwd', join(repository.top, '.env'));
    rmSync(join(slot.tree, '.env'));
    await prepare(repository, {}, included);
    expect(existsSync(join(slot.tree, '.env'))).toBe(false);
  });
});

describe('a repository that cannot have slots', () => {
  it.each<[RegExp | null, string, (repository: TestRepository) => void]>([
    [null, 'an ordinary one', () => {}],
    [/sparse checkout/, 'a sparse checkout', ({ git }) => git('config', 'core.sparseCheckout', 'true')],
    [/partial clone/, 'a partial clone', ({ git }) => git('config', 'remote.origin.promisor', 'true')],
    [
      /through filters/,
      'one with filters',
      ({ write, commit }) => {
        write('assets/.gitattributes', '*.bin filter=lfs diff=lfs\n');
        commit('Filters');
      },
    ],
    [
      /through filters/,
      'one with filters of this clone alone',
      ({ write }) => write('.git/info/attributes', '*.bin filter=lfs\n'),
    ],
    [
      /submodules/,
      'one with submodules',
      ({ git }) => {
        git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD')},vendor`);
        git('commit', '-qm', 'Submodule');
      },
    ],
  ])('the reason %s is given for %s', async (reason, _, change) => {
    const repository = await slotRepository();
    change(repository);
    const found = await whyNoSlots(repository.place);
    if (reason === null) expect(found).toBeNull();
    else expect(found).toMatch(reason);
  });
});
