import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { withLandingLock } from '../../../src/host/landing/landing-lock.ts';
import { openTrain, type Train } from '../../../src/host/landing/train.ts';
import { dropLock, takeLock } from '../../../src/host/processes/lock-file.ts';
import { lander } from '../../support/landing.ts';
import { slotRepository } from '../../support/slots.ts';
import { tempDir } from '../../support/temp.ts';

/** Two trains, as of two processes. */
function trains(): { file: string; one: Train; other: Train; stop: AbortController } {
  const file = join(tempDir(), 'landing.lock');
  const stop = new AbortController();
  const open = (): Train => withLandingLock(openTrain(), file, stop.signal);
  return { file, one: open(), other: open(), stop };
}

it('a session of another process lands only after the first has left, and keeps its turn until then', async () => {
  const { one, other, file } = trains();
  const order: string[] = [];
  await one.enter('a', 1);
  const waiting = other.enter('b', 2).then(() => order.push('b may land'));
  await one.enter('a', 1);
  // Nobody else has it, though the session entered twice.
  expect(await takeLock(file)).toBe(false);
  order.push('a leaves');
  one.leave('a');
  await waiting;
  expect(order).toEqual(['a leaves', 'b may land']);
  other.leave('b');
  // At once: the next one of the same process would find the lock, and look again only later.
  expect(existsSync(file)).toBe(false);
});

it('a session that leaves while it waits takes no turn, and a stop ends the wait', async () => {
  const { one, other, file, stop } = trains();
  expect(await takeLock(file)).toBe(true);
  const left = one.enter('a', 1);
  one.leave('a');
  await left;
  const stopped = other.enter('b', 2);
  stop.abort();
  await stopped;
  dropLock(file);
  expect(await takeLock(file)).toBe(true);
});

it('a lock that cannot be made fails the landing, also while it is not awaited yet, and not the process', async () => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', listen);
  onTestFinished(() => void process.off('unhandledRejection', listen));
  const repository = await slotRepository();
  repository.write('../file', '');
  const train = withLandingLock(
    openTrain(),
    join(repository.folder, 'file/landing.lock'),
    new AbortController().signal,
  );
  const one = await lander(repository, { train, onLanding: () => pause() });
  await expect(one.land(await one.start(1))).rejects.toThrow('ENOTDIR');
  expect(unhandled).toEqual([]);
});
