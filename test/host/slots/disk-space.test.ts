import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { requireSpace } from '../../../src/host/slots/disk-space.ts';
import { prepareSlot } from '../../../src/host/slots/prepare-slot.ts';
import { countingGit } from '../../support/counting-git.ts';
import { firstSlot, SLOTS, slotRepository, type TestRepository, TRUNK } from '../../support/slots.ts';

const MB = 1_000_000;

/** Asks for a slot that holds HEAD. `free`: the bytes that the disk has left. */
const askFor = (repository: TestRepository, free: number): Promise<void> =>
  requireSpace(firstSlot(repository), repository.git('rev-parse', 'HEAD'), async () => free);

/** One blob under a hundred names: git stores it once, and a checkout holds it a hundred times. */
async function largeRepository(): Promise<TestRepository> {
  const repository = await slotRepository();
  repository.write('part', '\0'.repeat(27 * MB));
  const blob = repository.git('hash-object', '-w', 'part');
  const names = Array.from({ length: 100 }, (_, nth) => ['--cacheinfo', `100644,${blob},parts/${nth}`]);
  repository.git('update-index', '--add', ...names.flat());
  repository.git('commit', '-qm', 'Large');
  return repository;
}

function prepare(repository: TestRepository, setup: string | null = null): Promise<void> {
  const commit = repository.git('rev-parse', 'HEAD');
  const head = { commit, branch: 'task-1', trunk: TRUNK };
  const rules = { slots: { ...SLOTS, setup }, names: [], included: [], env: repository.place.env };
  return prepareSlot(firstSlot(repository), { head, tree: commit }, rules);
}

it('a checkout of 2.7 GB is not begun with 2.2 GB free, and the refusal says what to do', async () => {
  const repository = await largeRepository();
  const asked = askFor(repository, 2_200 * MB);
  await expect(asked).rejects.toThrow(MachineFailed);
  await expect(asked).rejects.toThrow(
    `A slot needs about 2.9 GB, and ${repository.slots.folder} has only 2.2 GB left; free some, remove old slots with ralph slots clean, or name another folder as slots.folder.`,
  );
  await askFor(repository, 3_000 * MB);
});

it('a small file takes a whole block of the disk', async () => {
  const repository = await slotRepository();
  // Three files of a few bytes and two folders, and what has to stay free.
  await askFor(repository, 5 * 4_096 + 200 * MB);
  await expect(askFor(repository, 5 * 4_096 + 200 * MB - 1)).rejects.toThrow(MachineFailed);
});

it('a slot gets as much room as the setup of an earlier one took', async () => {
  const repository = await slotRepository();
  await askFor(repository, 201 * MB);
  await prepare(repository, 'mkdir cache && head -c 3000000 /dev/zero > cache/installed');
  await expect(askFor(repository, 201 * MB)).rejects.toThrow('A slot needs about 203 MB');
  await askFor(repository, 204 * MB);
});

it('files that a package manager links into every slot take no room in a further one', async () => {
  const repository = await slotRepository();
  const store = join(repository.folder, 'store');
  await prepare(
    repository,
    `head -c 3000000 /dev/zero > ${store} && mkdir cache && ln ${store} cache/installed`,
  );
  await askFor(repository, 201 * MB);
});

it('nothing of a slot is written for which there is no room', async () => {
  const repository = await slotRepository();
  const { folder } = repository.slots;
  mkdirSync(folder);
  writeFileSync(join(folder, 'work-2.size'), JSON.stringify({ ready: 10 ** 15, bytes: 0 }));
  await expect(prepare(repository)).rejects.toThrow(/A slot needs about 1000 TB, and .* left/);
  expect(existsSync(firstSlot(repository).folder)).toBe(false);
});

it('git lists a tree only for a new slot: how large it becomes, and which folders it has', async () => {
  const git = countingGit();
  const repository = await slotRepository();
  const counted = {
    ...repository,
    place: { ...repository.place, env: { ...repository.place.env, PATH: git.PATH } },
  };
  counted.slots = { ...repository.slots, repository: counted.place };
  const looks = async (): Promise<number> => {
    await prepare(counted);
    return git.calls().filter((call) => call === 'ls-tree').length;
  };
  expect([await looks(), await looks()]).toEqual([2, 0]);
});
