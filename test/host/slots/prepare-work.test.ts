import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SlotRules } from '../../../src/host/slots/prepare-slot.ts';
import { prepareForAgent, prepareForGates } from '../../../src/host/slots/prepare-work.ts';
import { SetUpFailed } from '../../../src/host/slots/set-up.ts';
import { slotAt } from '../../../src/host/slots/slot.ts';
import { firstSlot, SLOTS, slotRepository, TRUNK } from '../../support/slots.ts';

/** A slot that is ready for a good lock file, and work that makes it another one. */
async function workWith(lock: string) {
  const repository = await slotRepository();
  const commitOf = (text: string): string => {
    repository.write('lock.txt', text);
    return repository.commit(`Lock ${text}`);
  };
  const [trunkTip, commit] = [commitOf('good\n'), commitOf(lock)];
  const tree = repository.git('rev-parse', `${commit}^{tree}`);
  const outside = (name: string): string => join(repository.folder, name);
  const setup = [
    `cat lock.txt >> ${outside('tried')}`,
    `test ! -e ${outside('away')}`,
    `! rm ${outside('hiccup')} 2>/dev/null`,
    'grep -q good lock.txt || { echo broken lock; exit 1; }',
    'mkdir cache && cp lock.txt cache/installed',
  ].join(' && ');
  const rules: SlotRules = {
    slots: { ...SLOTS, setup, stamp: ['lock.txt'] },
    names: [],
    included: [],
    env: repository.place.env,
  };
  const head = { commit, branch: null, trunk: TRUNK };
  const gates = slotAt(repository.slots, 'gates', 1, 90);
  await prepareForGates(gates, { head: { ...head, commit: trunkTip }, tree: trunkTip, trunkTip }, rules);
  rmSync(outside('tried'));
  return {
    gates,
    agents: firstSlot(repository),
    rules,
    work: { head, tree, trunkTip },
    isNow: (name: 'away' | 'hiccup') => writeFileSync(outside(name), ''),
    /** The lock files that setups ran with. */
    tried: () => readFileSync(outside('tried'), 'utf8').trim().split('\n'),
  };
}

it('work is refuted if the setup fails with it twice, and passes without it in between', async () => {
  const { gates, rules, work, tried } = await workWith('bad\n');
  expect(await prepareForGates(gates, work, rules)).toMatchObject({
    name: 'slots.setup',
    required: true,
    passed: false,
    exit_code: 1,
    tail: 'broken lock',
  });
  expect(tried()).toEqual(['bad', 'good', 'bad']);
});

it('a setup that fails without the work, too, is a fault of the machine, though it passed before', async () => {
  const { gates, agents, rules, work, isNow, tried } = await workWith('bad\n');
  isNow('away');
  await expect(prepareForGates(gates, work, rules)).rejects.toThrow(SetUpFailed);
  await expect(prepareForAgent(agents, work, rules)).rejects.toThrow(SetUpFailed);
  expect(tried()).toEqual(['bad', 'good', 'bad', 'good']);
});

it('a setup that fails once refutes no work, and the slot is ready for it', async () => {
  const { gates, rules, work, isNow } = await workWith('good and new\n');
  isNow('hiccup');
  expect(await prepareForGates(gates, work, rules)).toBeNull();
  expect(readFileSync(join(gates.tree, 'cache/installed'), 'utf8')).toBe('good and new\n');
});

it('a setup that fails on files without work is a fault of the machine, and is not tried again', async () => {
  const { gates, rules, work, tried } = await workWith('bad\n');
  const nothing = { ...work, trunkTip: work.head.commit };
  await expect(prepareForGates(gates, nothing, rules)).rejects.toThrow(SetUpFailed);
  expect(tried()).toEqual(['bad']);
});

it.each([false, true])(
  'an agent gets work that the setup fails with, beside what the setup makes without it (clean: %s)',
  async (clean) => {
    const { agents, rules, work, tried } = await workWith('bad\n');
    const strict = { ...rules, slots: { ...rules.slots, clean } };
    expect(await prepareForAgent(agents, work, strict)).toMatchObject({ tail: 'broken lock' });
    const read = (name: string): string => readFileSync(join(agents.tree, name), 'utf8');
    expect([read('lock.txt'), read('cache/installed')]).toEqual(['bad\n', 'good\n']);
    // The slot is that of the good lock file.
    const good = { ...work, tree: work.trunkTip };
    expect(await prepareForAgent(agents, good, strict)).toBeNull();
    expect(tried()).toEqual(['bad', 'good', ...(clean ? ['good'] : [])]);
    expect(existsSync(join(agents.tree, 'cache/installed'))).toBe(true);
  },
);
