import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { GateConfig } from '../../../src/domain/config.ts';
import { runGates } from '../../../src/host/gates/gates.ts';
import { tempDir } from '../../support/temp.ts';
import { hasText, pastTimeLimit } from '../../support/time-limit.ts';

const gate = (command: string, more: Partial<GateConfig> = {}): GateConfig => ({
  name: 'test',
  command,
  required: true,
  timeout_seconds: 30,
  max_output_mb: 16,
  expect: null,
  flaky: 'retry',
  ...more,
});

/** Counts its runs in the file `runs`, and fails in the first `failures` of them. */
const failing = (failures: number): string =>
  `echo run >> runs; n=$(wc -l < runs); echo "FAIL in run $n"; test $n -gt ${failures}`;

async function run(
  config: GateConfig,
  areFilesUnchanged: () => Promise<boolean> = async () => true,
  root = tempDir(),
) {
  writeFileSync(join(root, 'runs'), '');
  const flaky: string[] = [];
  const [result] = await runGates([config], {
    root,
    env: { PATH: process.env['PATH'], HOME: root },
    logFolder: join(root, 'logs'),
    tree_hash: null,
    sessionResults: [],
    resultsBefore: [],
    areFilesUnchanged,
    onFlaky: (name) => void flaky.push(name),
  });
  return { result, flaky, runs: readFileSync(join(root, 'runs'), 'utf8').split('\n').length - 1 };
}

it('a red gate that passes on the unchanged files has passed, is flaky, and shows how it was red', async () => {
  const { result, flaky, runs } = await run(gate(failing(1)));
  expect(result).toMatchObject({ passed: true, flaky: true, exit_code: 0, tail: 'FAIL in run 1' });
  expect({ flaky, runs }).toEqual({ flaky: ['test'], runs: 2 });
});

it('a gate that is red twice is red, with the failure of its last run', async () => {
  const { result, flaky, runs } = await run(gate(failing(2)));
  expect(result).toMatchObject({ passed: false, tail: 'FAIL in run 2' });
  expect(result).not.toHaveProperty('flaky');
  expect({ flaky, runs }).toEqual({ flaky: [], runs: 2 });
});

it('a red gate counts at once if its configuration says so, or if it changed files', async () => {
  expect(await run(gate(failing(1), { flaky: 'fail' }))).toMatchObject({
    result: { passed: false },
    runs: 1,
  });
  expect(await run(gate(failing(1)), async () => false)).toMatchObject({
    result: { passed: false },
    runs: 1,
  });
});

it('a gate that reached its timeout or could not start is not run again', async () => {
  const root = tempDir();
  const late = await pastTimeLimit(
    30_000,
    () => run(gate('echo run >> runs; sleep 600'), undefined, root),
    () => hasText(join(root, 'runs')),
  );
  expect(late).toMatchObject({ result: { passed: false }, runs: 1 });
  let asked = 0;
  const missing = { ...gate(''), command: ['no-such-command'] };
  await run(missing, async () => ++asked > 0);
  expect(asked).toBe(0);
});
