import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it, onTestFinished } from 'vitest';
import { identify } from '../../../src/host/processes/process-identity.ts';
import { cleanSpareSlots } from '../../../src/host/slots/clean-slots.ts';
import type { SlotPlace } from '../../../src/host/slots/slot.ts';
import {
  acquireGateSlot,
  acquireWorkSlot,
  freeSlots,
  listSlots,
  releaseSlot,
  workSlot,
  writeSlotSession,
} from '../../../src/host/slots/slot-pool.ts';
import { filled, slotRepository } from '../../support/slots.ts';

const over = async (): Promise<boolean> => true;

/** A process that has ended, as a lock names it. */
async function deadProcess(): Promise<string> {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  const identity = JSON.stringify(identify(child.pid ?? 0));
  child.kill('SIGKILL');
  await once(child, 'exit');
  return identity;
}

const place = async (): Promise<SlotPlace> => (await slotRepository()).slots;

describe('the slots of a project', () => {
  it('sessions of one process get different slots, the lowest free one first', async () => {
    const slots = await place();
    const taken = await Promise.all([1, 2, 3].map(() => acquireWorkSlot(slots, over)));
    expect(taken.map(({ number }) => number).sort()).toEqual([1, 2, 3]);
    await releaseSlot(workSlot(slots, 2));
    expect((await acquireWorkSlot(slots, over)).number).toBe(2);
  });

  it('the slot of a session that is not over is never given away', async () => {
    const slots = await place();
    const first = await acquireWorkSlot(slots, over);
    await writeSlotSession(first, { session_id: 'unfinished', base: 'x' });
    await releaseSlot(first);
    const second = await acquireWorkSlot(slots, async (id) => id !== 'unfinished');
    expect(second.number).toBe(2);
    expect((await acquireWorkSlot(slots, over)).number).toBe(1);
  });

  it.each([
    ['whose owner is dead', deadProcess],
    ['that a power cut emptied', async () => ''],
  ])('a lock %s is taken over by exactly one of many', async (_, content) => {
    const slots = await place();
    mkdirSync(slots.folder, { recursive: true });
    writeFileSync(join(slots.folder, 'work-1.lock'), await content());
    const taken = await Promise.all(Array.from({ length: 8 }, () => acquireWorkSlot(slots, over)));
    expect(taken.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(JSON.parse(readFileSync(join(slots.folder, 'work-1.lock'), 'utf8')).pid).toBe(process.pid);
    const names = readdirSync(slots.folder);
    expect(names.filter((name) => !/^work-\d\.lock$/.test(name))).toEqual([]);
  });

  it('a lock is taken over even if the process that was about to take it over died', async () => {
    const slots = await place();
    mkdirSync(slots.folder, { recursive: true });
    const [owner, taker] = [await deadProcess(), await deadProcess()];
    const lock = join(slots.folder, 'work-1.lock');
    writeFileSync(lock, owner);
    const { pid, process_started } = JSON.parse(owner);
    writeFileSync(`${lock}.${pid}-${process_started}`, taker);
    expect((await acquireWorkSlot(slots, over)).number).toBe(1);
    expect(readdirSync(slots.folder)).toEqual(['work-1.lock']);
  });

  it('the lock of a slot that a killed run was about to make is removed, and that of a living process stays', async () => {
    const slots = await place();
    mkdirSync(slots.folder, { recursive: true });
    writeFileSync(join(slots.folder, 'work-1.lock'), await deadProcess());
    writeFileSync(join(slots.folder, 'gates-2.lock'), JSON.stringify(identify(process.pid)));
    await freeSlots(slots, over);
    expect(readdirSync(slots.folder)).toEqual(['gates-2.lock']);
  });

  it('many processes that want slots at the same moment never share one', async () => {
    const slots = await place();
    mkdirSync(slots.folder, { recursive: true });
    for (let number = 1; number <= 4; number++)
      writeFileSync(join(slots.folder, `work-${number}.lock`), await deadProcess());
    const [pool, file] = [join(slots.folder, '..', 'pool.mjs'), join(slots.folder, '..', 'take.mjs')];
    const entry = 'src/host/slots/slot-pool.ts';
    await build({ entryPoints: [entry], outfile: pool, bundle: true, platform: 'node', format: 'esm' });
    writeFileSync(
      file,
      `import { acquireWorkSlot } from './pool.mjs';
const slots = ${JSON.stringify(slots)};
const taken = [];
for (let count = 0; count < 4; count++)
  taken.push((await acquireWorkSlot(slots, async () => true)).number);
console.log(taken.join(' '));
setInterval(() => {}, 1000);\n`,
    );
    const children = [1, 2, 3].map(() =>
      spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    onTestFinished(async () => {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
    });
    const lines = await Promise.all(
      children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0])),
    );
    const numbers = lines.flatMap((line) => line.trim().split(' ').map(Number));
    expect([...new Set(numbers)]).toHaveLength(12);
  });

  it('slots that a run does not use go after a day, but none in use, warm, or with files of a session', async () => {
    const slots = await place();
    const work = await Promise.all([1, 2, 3, 4, 5].map(() => acquireWorkSlot(slots, over)));
    const gates = await Promise.all([1, 2].map(() => acquireGateSlot(slots, 2)));
    const yesterday = Date.now() / 1_000 - 25 * 3_600;
    for (const { folder, number } of [...work, ...gates]) {
      mkdirSync(folder);
      if (number !== 4) utimesSync(folder, yesterday, yesterday);
    }
    await writeSlotSession(workSlot(slots, 5), { session_id: 'unfinished', base: 'x' });
    for (const slot of [...work.filter(({ number }) => number !== 3), ...gates]) await releaseSlot(slot);
    await cleanSpareSlots(slots, { work: 1, gates: 1 }, Date.now(), async (id) => id !== 'unfinished');
    const left = (await listSlots(slots)).map(({ name }) => name);
    expect(left).toEqual(['work-1', 'work-3', 'work-4', 'work-5', 'gates-1']);
  });

  it('a session waits for a slot in which gates run until one is free', async () => {
    const slots = await place();
    const first = await acquireGateSlot(slots, 1);
    expect([first.kind, first.number]).toEqual(['gates', 90]);
    let isFree = false;
    const next = acquireGateSlot(slots, 1).then((slot) => {
      expect(isFree).toBe(true);
      return slot;
    });
    expect((await acquireGateSlot(slots, 2)).number).toBe(91);
    isFree = true;
    await releaseSlot(first);
    expect((await next).number).toBe(90);
  });

  it('the list of slots names who uses each of them', async () => {
    const repository = await slotRepository();
    const used = await acquireWorkSlot(repository.slots, over);
    await filled(repository, { slot: used });
    await writeSlotSession(used, { session_id: 'one', base: 'x' });
    await filled(repository, { slot: workSlot(repository.slots, 2) });
    expect(await listSlots(repository.slots)).toMatchObject([
      { name: 'work-1', session: { session_id: 'one' }, owner: { pid: process.pid } },
      { name: 'work-2', session: null, owner: null },
    ]);
  });
});
