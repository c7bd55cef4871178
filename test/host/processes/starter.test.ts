import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { findCarriers, type Marker } from '../../../src/host/processes/reap.ts';
import { runToEnd } from '../../../src/host/processes/spawn.ts';
import { openStarter, type Starter } from '../../../src/host/processes/starter.ts';
import { openShellStarter } from '../../support/shell-starter.ts';
import { tempDir } from '../../support/temp.ts';

const options = { cwd: '/', env: { PATH: process.env['PATH'], WORD: 'here' }, timeoutMs: 60_000 };

/** Answers once the starter takes requests: its marker is then in the environment of what it starts. */
async function readyStarter(name: string) {
  const marker: Marker = `RALPH_TEST=${name}-${process.pid}`;
  const starter = openStarter([process.execPath, inject('ralph')], marker);
  onTestFinished(starter.close);
  const isReady = async (): Promise<boolean> =>
    (await starter.run('sh', ['-c', 'echo "$RALPH_STARTER"'], options)).stdout.trim() !== '';
  await expect.poll(isReady).toBe(true);
  const [pid = 0] = findCarriers(marker);
  return { starter, pid, marker };
}

/** Compares how processes end with how they do without a starter. */
async function expectSameEnds({ run }: Pick<Starter, 'run'>): Promise<void> {
  const bytes = Buffer.from([0, 200, 10]);
  const commands: readonly [string, string[], object][] = [
    ['sh', ['-c', 'cat; echo $WORD >&2; exit 3'], { input: bytes, encoding: 'latin1' }],
    ['sh', ['-c', 'kill -TERM $$'], {}],
    ['sleep', ['600'], { timeoutMs: 50 }],
    ['sleep', ['600'], { stop: AbortSignal.timeout(50) }],
    ['yes', [], { maxOutputBytes: 1_000 }],
    ['/nonexistent/program', [], {}],
    ['true', [], { cwd: '/dev/null' }],
    ['true', ['x'.repeat(2 ** 20)], {}],
    ['printf', ['%s', "it's\n$HOME `date`"], {}],
  ];
  for (const [command, args, more] of commands) {
    const [ended, direct] = await Promise.all(
      [run, runToEnd].map((start) => start(command, args, { ...options, ...more })),
    );
    // How much it printed before it was killed is chance.
    expect({ ...ended, stdout: ended?.stdout.slice(0, 30) }).toEqual({
      ...direct,
      stdout: direct?.stdout.slice(0, 30),
    });
  }
}

it('a process ends by a starter as it does without one', async () => {
  const { starter, pid, marker } = await readyStarter('same');
  await expectSameEnds(starter);
  // None of these has ended it.
  expect(findCarriers(marker)).toEqual([pid]);
  await starter.close();
  expect(findCarriers(marker)).toEqual([]);
  expect(pid).toBeGreaterThan(0);
});

it('a process ends by a shell of the tests as it does without one', async () => {
  await expectSameEnds(openShellStarter());
});

it('after its starter was killed, nobody takes a process for ended that is still at work', async () => {
  const { starter, pid } = await readyStarter('killed');
  const begun = join(tempDir(), 'begun');
  // It ends by itself, but not before its starter is gone.
  const waits = `echo > ${begun}; while kill -0 ${pid} 2>/dev/null; do sleep 0.05; done`;
  const ending = starter.run('sh', ['-c', waits], options);
  await expect.poll(() => existsSync(begun)).toBe(true);
  process.kill(pid, 'SIGKILL');
  expect(await ending).toMatchObject({ code: null });
  expect(findCarriers(`RALPH_STARTER=${pid}`)).toEqual([]);
  // Without its starter, Ralph starts processes itself.
  expect(await starter.run('echo', ['still'], options)).toMatchObject({ code: 0, stdout: 'still\n' });
});
