import { getEventListeners } from 'node:events';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GateConfig } from '../../../src/domain/config.ts';
import { MachineFailed } from '../../../src/domain/refusal.ts';
import { GateKilled, runGate, runGates } from '../../../src/host/gates/gates.ts';
import { findCarriers } from '../../../src/host/processes/reap.ts';
import { tempDir } from '../../support/temp.ts';
import { hasText, pastTimeLimit } from '../../support/time-limit.ts';

const gate = (command: GateConfig['command'], more: Partial<GateConfig> = {}): GateConfig => ({
  name: 'test',
  command,
  required: true,
  timeout_seconds: 30,
  max_output_mb: 16,
  expect: null,
  ...more,
});

function run(config: GateConfig, root = tempDir()) {
  const env = { PATH: process.env['PATH'], HOME: root };
  return runGate(config, { root, env, logFile: join(root, 'logs/test.log'), tree_hash: null });
}

describe('a gate', () => {
  it('a gate passes by its exit code, as a shell line or a list of arguments', async () => {
    expect(await run(gate('echo a && test 1 = 1'))).toMatchObject({ passed: true, exit_code: 0, tail: '' });
    expect(await run(gate(['printf', '%s', '$HOME && x']))).toMatchObject({ passed: true, exit_code: 0 });
  });

  it('a gate that fails returns the last part of its output, and the log has all of it', async () => {
    const root = tempDir();
    const result = await run(gate('seq 1 5000; echo "2 failed" >&2; exit 3'), root);
    expect(result).toMatchObject({ passed: false, exit_code: 3, command: expect.stringContaining('seq') });
    expect(result.tail.endsWith('2 failed')).toBe(true);
    expect(result.tail.length).toBeLessThan(4_100);
    expect(readFileSync(join(root, 'logs/test.log'), 'utf8')).toContain('\n17\n');
  });

  it('a failure is shown without colours, and with the first failure if that is above the last part', async () => {
    const root = tempDir();
    const line = "printf '\\033[31m FAIL \\033[39m a.test.ts > adds\\n'; seq 1 5000; echo ELIFECYCLE; exit 1";
    const { tail } = await run(gate(line), root);
    expect(tail).toMatch(/^FAIL {2}a\.test\.ts > adds\n\.\.\.\n\d/);
    expect(tail).not.toContain('\x1b');
    expect(readFileSync(join(root, 'logs/test.log'), 'utf8')).toContain('\x1b[31m');
  });

  it('a gate that prints a secret of the environment leaves it nowhere', async () => {
    const root = tempDir();
    const env = { PATH: process.env['PATH'], HOME: root, API_KEY: 'a-secret-of-somebody' };
    const logFile = join(root, 'test.log');
    const config = gate('printf "a-secret-"; sleep 0.1; printf "of-somebody"; exit 1');
    const result = await runGate(config, { root, env, logFile, tree_hash: null });
    expect(result.tail).toContain('<masked>');
    expect(readFileSync(logFile, 'utf8')).toBe('<masked>');
  });

  it('a gate that is over listens to no signal any more', async () => {
    const root = tempDir();
    const { signal: stop } = new AbortController();
    const run = {
      root,
      env: { PATH: process.env['PATH'] },
      logFile: join(root, 'log'),
      tree_hash: null,
      stop,
    };
    await runGate(gate('true'), run);
    expect(getEventListeners(stop, 'abort')).toEqual([]);
  });

  it('a gate that tested nothing has not passed', async () => {
    const result = await run(gate('echo "No test files found, exiting with code 0"'));
    expect(result).toMatchObject({ passed: false, exit_code: 0 });
    expect(result.tail).toContain('vitest ran no test');
  });

  it('a gate that does not print the expected text has not passed', async () => {
    const result = await run(gate('echo "3 passed"', { expect: '4 passed' }));
    expect(result).toMatchObject({
      passed: false,
      tail: expect.stringContaining('does not contain "4 passed"'),
    });
    expect(await run(gate('echo "4 passed"', { expect: '4 passed' }))).toMatchObject({ passed: true });
  });

  it('a gate that prints the expected text in two pieces has passed', async () => {
    const twice = gate('echo one; sleep 0.1; echo two', { expect: 'one\ntwo' });
    expect(await run(twice)).toMatchObject({ passed: true });
  });

  it('a gate that cannot be started has not passed', async () => {
    expect(await run(gate(['no-such-command']))).toMatchObject({
      passed: false,
      exit_code: null,
      tail: expect.stringContaining('could not be started: ENOENT'),
    });
  });

  it('Ralph ends a gate that takes too long, with everything it started', async () => {
    const root = tempDir();
    // A child in a session of its own, which a signal to the group does not reach.
    const endless = gate('setsid sh -c "echo $RALPH_GATE_ID > id; sleep 600" & sleep 600');
    const result = await pastTimeLimit(
      30_000,
      () => run(endless, root),
      () => hasText(join(root, 'id')),
    );
    expect(result).toMatchObject({
      passed: false,
      exit_code: null,
      tail: expect.stringContaining('after 30 seconds'),
    });
    expect(findCarriers(`RALPH_GATE_ID=${readFileSync(join(root, 'id'), 'utf8').trim()}`)).toEqual([]);
  });

  it.each([
    ['', 'and its output'],
    ['>/dev/null 2>&1', 'in the background'],
  ])('Ralph ends a process that a gate leaves behind (%s %s)', async (redirect) => {
    const root = tempDir();
    writeFileSync(join(root, 'serve.sh'), 'echo $RALPH_GATE_ID > id; exec sleep 600 </dev/null');
    const result = await run(gate(`setsid sh serve.sh ${redirect} & while [ ! -s id ]; do :; done`), root);
    expect(result).toMatchObject({ passed: true });
    expect(findCarriers(`RALPH_GATE_ID=${readFileSync(join(root, 'id'), 'utf8').trim()}`)).toEqual([]);
  });
});

describe('a gate that a signal ended', () => {
  const runs = (root: string): number => readFileSync(join(root, 'runs'), 'utf8').length;

  it('a killed gate passes if it passes when Ralph runs it once more', async () => {
    const root = tempDir();
    const result = await run(gate('printf x >> runs; test "$(cat runs)" = xx || kill -9 $$'), root);
    expect(result).toMatchObject({ passed: true, exit_code: 0 });
    expect(runs(root)).toBe(2);
  });

  it.each<[string, GateConfig['command'], string]>([
    ['the shell itself', 'printf x >> runs; kill -9 $$', 'SIGKILL'],
    ['a child of the shell', 'printf x >> runs; sh -c "kill -9 \\$\\$"; exit $?', 'SIGKILL'],
    ['a child, politely', 'printf x >> runs; sh -c "kill \\$\\$"; exit $?', 'SIGTERM'],
    ['a command without a shell', ['sh', '-c', 'printf x >> runs; kill -9 $$'], 'SIGKILL'],
  ])('a gate that is killed twice needs a person (%s)', async (_, command, signal) => {
    const root = tempDir();
    const error = await run(gate(command), root).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GateKilled);
    expect(String(error)).toContain(`was ended twice by ${signal}, which Ralph did not send.`);
    expect(runs(root)).toBe(2);
  });

  it.each(['kill -SEGV $$', 'kill -ABRT $$', 'exit 134', 'exit 139', 'exit 129'])(
    'a gate has failed at once if its program crashed or exited by itself (%s)',
    async (end) => {
      const root = tempDir();
      expect(await run(gate(`printf x >> runs; ${end}`), root)).toMatchObject({ passed: false });
      expect(runs(root)).toBe(1);
    },
  );

  it('a gate has failed at once if Ralph ended it at its time limit', async () => {
    const root = tempDir();
    const result = await pastTimeLimit(
      30_000,
      () => run(gate('printf x >> runs; exec sleep 600'), root),
      () => hasText(join(root, 'runs')),
    );
    expect(result).toMatchObject({ passed: false, tail: expect.stringContaining('after 30 seconds') });
    expect(runs(root)).toBe(1);
  });

  it('an optional gate that is killed fails without parking its task, and no later run uses its result', async () => {
    const root = tempDir();
    const env = { PATH: process.env['PATH'], HOME: root };
    const rest = { tree_hash: null, sessionResults: [], resultsBefore: [] };
    const gates = [gate('kill -9 $$', { name: 'lint', required: false }), gate('true')];
    const results = await runGates(gates, { root, env, logFolder: join(root, 'logs'), ...rest });
    expect(results).toMatchObject([{ passed: false, definition: '' }, { passed: true }]);
  });
});

describe('the log of a gate', () => {
  const MB = 1024 * 1024;
  const many =
    'echo FIRST; head -c 1500000 /dev/zero | tr "\\0" a; echo MIDDLE; yes | head -c 3000000; echo LAST';

  it('the log keeps the first and the last part of too much output, and says how much it dropped', async () => {
    const root = tempDir();
    const result = await run(gate(many, { max_output_mb: 1, expect: 'aMIDDLE\ny\ny' }), root);
    expect(result).toMatchObject({ passed: true, exit_code: 0 });
    const log = readFileSync(join(root, 'logs/test.log'), 'utf8');
    expect(log.startsWith('FIRST\naaa')).toBe(true);
    expect(log.endsWith('y\ny\nLAST\n')).toBe(true);
    expect(log).not.toContain('MIDDLE');
    const total = 'FIRST\nMIDDLE\nLAST\n'.length + 1_500_000 + 3_000_000;
    const [note = ''] = log.match(/\n\(Ralph dropped \d+ bytes of output here\.\)\n/) ?? [];
    expect(note).toContain(` ${total - MB} bytes `);
    expect(log.length).toBe(MB + note.length);
  });

  it('the log holds all that the limit allows, to the byte', async () => {
    const root = tempDir();
    await run(
      gate(`head -c ${MB - 3} /dev/zero | tr "\\0" b; printf '\\303\\244\\n'`, { max_output_mb: 1 }),
      root,
    );
    expect(readFileSync(join(root, 'logs/test.log'), 'utf8')).toBe(`${'b'.repeat(MB - 3)}ä\n`);
  });

  it('the log masks a secret in a line without an end, wherever the line is cut', async () => {
    const root = tempDir();
    const secret = 'a-secret-of-somebody';
    const env = { PATH: process.env['PATH'], HOME: root, API_KEY: secret };
    const logFile = join(root, 'test.log');
    const config = gate(
      'i=0; while [ $i -lt 3 ]; do head -c 1111111 /dev/zero | tr "\\0" .; printf $API_KEY; i=$((i+1)); done',
      { env: ['API_KEY'] },
    );
    expect(await runGate(config, { root, env, logFile, tree_hash: null })).toMatchObject({ passed: true });
    expect(readFileSync(logFile, 'utf8')).toBe(`${'.'.repeat(1_111_111)}<masked>`.repeat(3));
  });

  it('a log that does not fit on the disk is the fault of the machine, not of the work', async () => {
    const root = tempDir();
    const logFile = join(root, 'test.log');
    symlinkSync('/dev/full', logFile);
    const env = { PATH: process.env['PATH'], HOME: root };
    const ran = runGate(gate('echo broken; exit 1'), { root, env, logFile, tree_hash: null });
    await expect(ran).rejects.toThrow(/test\.log cannot be written \(ENOSPC\); check the disk/);
    await expect(ran).rejects.toBeInstanceOf(MachineFailed);
  });

  it('Ralph does not start a gate whose log cannot be opened', async () => {
    const root = tempDir();
    writeFileSync(join(root, 'logs'), 'a file where the folder should be');
    await expect(run(gate('touch started'), root)).rejects.toBeInstanceOf(MachineFailed);
    expect(existsSync(join(root, 'started'))).toBe(false);
  });
});

describe('the environment of a gate', () => {
  const env = (root: string) => ({
    PATH: process.env['PATH'],
    HOME: root,
    DATABASE_URL: 'shop-db',
    SHOP_MODE: 'test',
  });

  it('a gate gets no variable that the configuration does not pass on', async () => {
    const root = tempDir();
    const config = gate('env > seen');
    await runGate(config, { root, env: env(root), logFile: join(root, 'log'), tree_hash: null });
    expect(readFileSync(join(root, 'seen'), 'utf8')).not.toMatch(/^(?:DATABASE_URL|SHOP_MODE)=/m);
  });

  it('a gate gets the variables that the configuration names', async () => {
    const root = tempDir();
    const config = gate('env > seen', { env: ['DATABASE_URL', 'SHOP_*'] });
    await runGate(config, { root, env: env(root), logFile: join(root, 'log'), tree_hash: null });
    expect(readFileSync(join(root, 'seen'), 'utf8')).toMatch(/^DATABASE_URL=shop-db$/m);
    expect(readFileSync(join(root, 'seen'), 'utf8')).toMatch(/^SHOP_MODE=test$/m);
  });
});
