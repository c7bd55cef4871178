import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingProgram } from '../../src/app/missing-program.ts';
import { findExecutable } from '../../src/host/processes/find-executable.ts';
import { tempDir } from '../support/temp.ts';

const PATH = process.env['PATH'];
const withPython = it.skipIf(findExecutable('python3', PATH) === null);
const ABSENT = 'no_module_of_this_name';

const missing = (command: string | readonly string[], root = tempDir(), env = {}) =>
  missingProgram(command, root, { PATH, HOME: tempDir(), ...env });

it('a program that is not on the PATH is missing, whatever variables stand before it', async () => {
  expect(await missing('A=1 nowhere-to-be-found --all')).toEqual({
    name: 'nowhere-to-be-found',
    python: null,
  });
  expect(await missing(['nowhere-to-be-found'])).toMatchObject({ name: 'nowhere-to-be-found' });
  expect(await missing('cd . && anything')).toBeNull();
});

withPython('a Python module that the interpreter does not have is missing', async () => {
  const lack = { name: ABSENT, python: 'python3' };
  expect(await missing(`python3 -m ${ABSENT} .`)).toEqual(lack);
  expect(await missing(`A=1 python3 -W error -m ${ABSENT}.part`)).toEqual(lack);
  expect(await missing(['python3', '-m', ABSENT])).toEqual(lack);
});

withPython('a Python module that is installed is not missing, nor is one that nobody asks for', async () => {
  expect(await missing('python3 -m unittest')).toBeNull();
  expect(await missing(`python3 run.py -m ${ABSENT}`)).toBeNull();
  expect(await missing(`python3 -c "print(1)" -m ${ABSENT}`)).toBeNull();
});

withPython('a Python module of the project or of PYTHONPATH is not missing, and is not run', async () => {
  const root = tempDir();
  const trap = `open(${JSON.stringify(join(root, 'sprung'))}, 'w')\n`;
  for (const file of ['checks.py', 'sitecustomize.py', 'usercustomize.py'])
    writeFileSync(join(root, file), trap);
  mkdirSync(join(root, 'lib/more'), { recursive: true });
  expect(await missing('python3 -m checks', root)).toBeNull();
  expect(await missing('python3 -m more', root, { PYTHONPATH: 'lib' })).toBeNull();
  expect(await missing(`python3 -m ${ABSENT}`, root, { PYTHONPATH: root })).not.toBeNull();
  expect(existsSync(join(root, 'sprung'))).toBe(false);
});

it('an interpreter of the project is not run: its packages are looked at instead', async () => {
  const root = tempDir();
  mkdirSync(join(root, '.venv/bin'), { recursive: true });
  mkdirSync(join(root, '.venv/lib/python3.12/site-packages/pytest'), { recursive: true });
  writeFileSync(join(root, '.venv/bin/python'), `#!/bin/sh\ntouch ${join(root, 'sprung')}\nexit 3\n`);
  chmodSync(join(root, '.venv/bin/python'), 0o755);
  expect(await missing('.venv/bin/python -m pytest', root)).toBeNull();
  expect(await missing('.venv/bin/python -m mypy', root)).toEqual({
    name: 'mypy',
    python: '.venv/bin/python',
  });
  const activated = { PATH: `${join(root, '.venv/bin')}:${PATH}` };
  expect(await missing('python -m mypy', root, activated)).toEqual({ name: 'mypy', python: 'python' });
  expect(existsSync(join(root, 'sprung'))).toBe(false);
});

it('nothing is said of an interpreter that a file of the project chooses', async () => {
  const [root, shims] = [tempDir(), join(tempDir(), 'shims')];
  mkdirSync(shims);
  writeFileSync(join(shims, 'python'), '#!/bin/sh\nexit 3\n');
  chmodSync(join(shims, 'python'), 0o755);
  const env = { PATH: `${shims}:${PATH}` };
  expect(await missing('python -m mypy', root, env)).not.toBeNull();
  writeFileSync(join(root, '.python-version'), '3.12\n');
  expect(await missing('python -m mypy', root, env)).toBeNull();
});
