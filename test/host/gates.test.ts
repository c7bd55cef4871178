import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GateConfig } from '../../src/domain/config.ts';
import { runGate } from '../../src/host/gates.ts';
import { carriersOf } from '../../src/host/reap.ts';
import { tempDir } from '../support/temp.ts';

const gate = (command: GateConfig['command'], more: Partial<GateConfig> = {}): GateConfig => ({
  name: 'test',
  command,
  required: true,
  timeout_seconds: 30,
  expect: null,
  ...more,
});

function run(config: GateConfig, root = tempDir()) {
  const env = { PATH: process.env['PATH'], HOME: root };
  return runGate(config, { root, env, logFile: join(root, 'logs/test.log'), tree_hash: null });
}

describe('a gate', () => {
  it('passes by its exit code, a shell line or a list of arguments', async () => {
    expect(await run(gate('echo a && test 1 = 1'))).toMatchObject({ passed: true, exit_code: 0, tail: '' });
    expect(await run(gate(['printf', '%s', '$HOME && x']))).toMatchObject({ passed: true, exit_code: 0 });
  });

  it('that fails brings the last part of what it printed, and the whole is in the log', async () => {
    const root = tempDir();
    const result = await run(gate('seq 1 5000; echo "2 failed" >&2; exit 3'), root);
    expect(result).toMatchObject({ passed: false, exit_code: 3, command: expect.stringContaining('seq') });
    expect(result.tail.endsWith('2 failed')).toBe(true);
    expect(result.tail.length).toBeLessThan(4_100);
    expect(readFileSync(join(root, 'logs/test.log'), 'utf8')).toContain('\n17\n');
  });

  it('that prints a secret of the environment leaves it nowhere', async () => {
    const root = tempDir();
    const env = { PATH: process.env['PATH'], HOME: root, API_KEY: 'a-secret-of-somebody' };
    const logFile = join(root, 'test.log');
    const config = gate('printf "a-secret-"; sleep 0.1; printf "of-somebody"; exit 1');
    const result = await runGate(config, { root, env, logFile, tree_hash: null });
    expect(result.tail).toContain('<masked>');
    expect(readFileSync(logFile, 'utf8')).toBe('<masked>');
  });

  it('that tested nothing has not passed', async () => {
    const result = await run(gate('echo "No test files found, exiting with code 0"'));
    expect(result).toMatchObject({ passed: false, exit_code: 0 });
    expect(result.tail).toContain('vitest ran no test');
  });

  it('that does not print what is expected has not passed', async () => {
    const result = await run(gate('echo "3 passed"', { expect: '4 passed' }));
    expect(result).toMatchObject({
      passed: false,
      tail: expect.stringContaining('does not contain "4 passed"'),
    });
    expect(await run(gate('echo "4 passed"', { expect: '4 passed' }))).toMatchObject({ passed: true });
  });

  it('that cannot be started has not passed', async () => {
    expect(await run(gate(['no-such-command']))).toMatchObject({
      passed: false,
      exit_code: null,
      tail: expect.stringContaining('could not be started: ENOENT'),
    });
  });

  it('that takes too long is ended with everything it started', async () => {
    const root = tempDir();
    // A child in a session of its own, which a signal to the group does not reach.
    const result = await run(
      gate('setsid sh -c "echo $RALPH_GATE_ID > id; sleep 600" & sleep 600', { timeout_seconds: 0.3 }),
      root,
    );
    expect(result).toMatchObject({
      passed: false,
      exit_code: null,
      tail: expect.stringContaining('after 0.3 seconds'),
    });
    expect(carriersOf(`RALPH_GATE_ID=${readFileSync(join(root, 'id'), 'utf8').trim()}`)).toEqual([]);
  });

  it.each([
    ['', 'and its output'],
    ['>/dev/null 2>&1', 'in the background'],
  ])('that leaves a process behind does not keep it (%s %s)', async (redirect) => {
    const root = tempDir();
    writeFileSync(join(root, 'serve.sh'), 'echo $RALPH_GATE_ID > id; exec sleep 600 </dev/null');
    const result = await run(gate(`setsid sh serve.sh ${redirect} & while [ ! -s id ]; do :; done`), root);
    expect(result).toMatchObject({ passed: true });
    expect(carriersOf(`RALPH_GATE_ID=${readFileSync(join(root, 'id'), 'utf8').trim()}`)).toEqual([]);
  });
});
