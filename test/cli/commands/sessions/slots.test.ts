import { existsSync, linkSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slotPlace } from '../../../../src/app/sessions/slots.ts';
import { NO_USAGE } from '../../../../src/domain/sessions/session.ts';
import { identify } from '../../../../src/host/processes/process-identity.ts';
import { findProject } from '../../../../src/host/project.ts';
import type { Slot } from '../../../../src/host/slots/slot.ts';
import {
  acquireGateSlot,
  acquireWorkSlot,
  releaseSlot,
  writeSlotSession,
} from '../../../../src/host/slots/slot-pool.ts';
import { finish } from '../../../../src/queue/sessions/finish.ts';
import { workedProject } from '../../../support/project-with-sessions.ts';
import { EXITED, effectsWith, gateResult, LIMITS } from '../../../support/queue.ts';
import { initialised, runWithin, type TestProject } from '../../../support/ralph.ts';
import { done, scripted, shell } from '../../../support/scripted-agent.ts';

const placeOf = ({ root, home }: TestProject) => {
  const { stateDir } = findProject(root);
  return slotPlace({ HOME: home, PATH: process.env['PATH'] }, { root, stateDir }, { folder: null });
};

/** With one file of 20 kB. */
function fill({ tree, index }: Slot): void {
  mkdirSync(tree, { recursive: true });
  writeFileSync(join(tree, 'file.txt'), 'x'.repeat(20_000));
  writeFileSync(index, '');
}

const DAYS_AGO = new Date(Date.now() - 3 * 24 * 3_600_000);

function age({ folder, index }: Slot): void {
  for (const path of [index, folder]) utimesSync(path, DAYS_AGO, DAYS_AGO);
}

it('ralph slots list says of each slot who uses it, and how large it is', async () => {
  const project = await workedProject('Build it', 'Left behind');
  expect((await project.within('slots')).stdout).toBe('There are no slots yet: ralph run makes them.\n');
  await project.begin('aaaaaaaa-1');
  await project.begin('bbbbbbbb-1');
  const place = placeOf(project);
  const [used, left] = [
    await acquireWorkSlot(place, async () => true),
    await acquireWorkSlot(place, async () => true),
  ];
  const gates = await acquireGateSlot(place, 2);
  const free = await acquireGateSlot(place, 2);
  for (const slot of [used, left, gates, free]) fill(slot);
  await writeSlotSession(used, { session_id: 'aaaaaaaa-1', base: '' });
  await writeSlotSession(left, { session_id: 'bbbbbbbb-1', base: '' });
  await releaseSlot(left);
  await releaseSlot(free);
  age(free);
  const { stdout } = await project.within('slots', 'list');
  expect(stdout).toMatch(/^work-1 +aaaaaaaa {2}#1 Build it +now +\d+ kB$/m);
  expect(stdout).toMatch(/^work-2 +bbbbbbbb {2}left unfinished: #2 Left behind +\d+s ago/m);
  expect(stdout).toMatch(/^gates-1 +gates +now/m);
  expect(stdout).toMatch(/^gates-2 +free +3d ago/m);
  expect(stdout).toMatch(/^4 slots, \d+ kB, in \//m);
  expect((await project.within('status')).stdout).toMatch(/^slots +4, about \d+ kB {3}ralph slots list$/m);
  expect(await project.json('slots', 'list')).toMatchObject({
    slots: [
      { name: 'work-1', use: { kind: 'session', session_id: 'aaaaaaaa-1', task_id: 1 } },
      { name: 'work-2', use: { kind: 'left' } },
      { name: 'gates-1', use: { kind: 'gates' } },
      { name: 'gates-2', use: { kind: 'free' } },
    ],
  });
});

it('ralph status tells about how much the slots take, as their setup has left them', async () => {
  const slots = 'slots: { setup: "head -c 3000000 /dev/zero > built" }\n';
  const { project } = await scripted({ 1: [[shell('echo built > .gitignore'), done()]] }, slots);
  await project.json('add', 'Build it');
  await project.within('run', '--once');
  expect((await project.within('status')).stdout).toMatch(
    /^slots +\d, about \d\.\d MB {3}ralph slots list$/m,
  );
  const { slots_bytes } = (await project.json('status')) as { slots_bytes: number };
  expect(slots_bytes).toBeGreaterThan(3_000_000);
});

it('ralph status says that slots take more than it knows while one was not measured yet', async () => {
  const project = await initialised();
  const place = placeOf(project);
  const status = async () => {
    const { slots, slots_bytes } = (await project.json('status')) as Record<string, unknown>;
    return [slots, slots_bytes, /^slots .*$/m.exec((await project.within('status')).stdout)?.[0]];
  };
  expect(await status()).toEqual([0, 0, undefined]);
  fill(await acquireGateSlot(place, 2));
  expect(await status()).toEqual([1, null, 'slots        1   ralph slots list']);
  const { bytes } = (await project.json('slots', 'list')) as { bytes: number };
  expect((await status())[1]).toBe(bytes);
  fill(await acquireGateSlot(place, 2));
  expect(await status()).toEqual([
    2,
    null,
    expect.stringMatching(/^slots +2, more than \d+ kB {3}ralph slots list$/),
  ]);
});

it('a file with two names counts once in the size of a slot', async () => {
  const project = await initialised();
  const slot = await acquireGateSlot(placeOf(project), 1);
  fill(slot);
  const size = async () => ((await project.json('slots')) as { bytes: number }).bytes;
  const before = await size();
  linkSync(join(slot.tree, 'file.txt'), join(slot.tree, 'again.txt'));
  expect((await size()) - before).toBeLessThan(20_000);
});

it('ralph slots clean spares a slot of the last day, which --all removes', async () => {
  const project = await initialised();
  const place = placeOf(project);
  const [warm, old] = [await acquireGateSlot(place, 2), await acquireGateSlot(place, 2)];
  for (const slot of [warm, old]) {
    fill(slot);
    await releaseSlot(slot);
  }
  for (const beside of ['stamp', 'size']) writeFileSync(`${old.folder}.${beside}`, 'x');
  age(old);
  const { stdout } = await project.within('slots', 'clean');
  expect(stdout).toMatch(/^Removed gates-2: \d+ kB are free again\.\nKept gates-1, used within the last day/);
  const paths = [old.folder, `${old.folder}.stamp`, `${old.folder}.size`, warm.folder];
  expect(paths.map((path) => existsSync(path))).toEqual([false, false, false, true]);
  expect(await project.json('slots', 'clean', '--all')).toMatchObject({ removed: ['gates-1'], warm: [] });
  expect((await project.within('slots', 'clean')).stdout).toContain('There are no slots');
});

it('a run removes an old slot that is beyond its jobs', async () => {
  const { project } = await scripted({});
  const place = placeOf(project);
  const slots = [
    await acquireWorkSlot(place, async () => true),
    await acquireWorkSlot(place, async () => true),
  ];
  for (const slot of slots) {
    fill(slot);
    age(slot);
    await releaseSlot(slot);
  }
  await project.within('run');
  expect(slots.map(({ folder }) => existsSync(folder))).toEqual([true, false]);
});

it('ralph slots clean --all never removes the files of a session that is not over', async () => {
  const project = await workedProject('Build it');
  const { queue, run_id } = project;
  await project.begin('aaaaaaaa-1');
  const slot = await acquireWorkSlot(placeOf(project), async () => true);
  fill(slot);
  await writeSlotSession(slot, { session_id: 'aaaaaaaa-1', base: '' });
  // As if the process of the run had died.
  writeFileSync(
    `${slot.folder}.lock`,
    JSON.stringify({ ...identify(process.pid), process_started: 'before' }),
  );
  expect(await project.json('slots', 'clean', '--all')).toMatchObject({ removed: [], needed: ['work-1'] });
  expect(existsSync(join(slot.tree, 'file.txt'))).toBe(true);
  const effects = effectsWith(gateResult(true));
  await finish(queue, {
    session_id: 'aaaaaaaa-1',
    run_id,
    end: EXITED,
    usage: NO_USAGE,
    effects,
    limits: LIMITS,
  });
  expect(await project.json('slots', 'clean', '--all')).toMatchObject({ removed: ['work-1'] });
});

it('ralph slots clean --all leaves a slot alone while a living process uses it', async () => {
  const project = await initialised();
  const slot = await acquireGateSlot(placeOf(project), 1);
  fill(slot);
  expect(await project.json('slots', 'clean', '--all')).toMatchObject({ removed: [], needed: ['gates-1'] });
  expect(existsSync(slot.folder)).toBe(true);
});

it('an agent may not remove slots, and --all needs clean', async () => {
  const { root, home, within } = await initialised();
  const env = { HOME: home, PATH: process.env['PATH'], RALPH_SESSION_ID: 'aaaaaaaa-1' };
  const refused = await runWithin(['slots', 'clean'], { cwd: root, env });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('only a person removes slots') });
  expect((await within('slots', 'list', '--all')).stderr).toContain('ralph slots clean --all');
});
