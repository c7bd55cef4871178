import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { lendLogins } from '../../../src/host/sandbox/lent-logins.ts';
import { tempDir } from '../../support/temp.ts';

const login = (token: string): string => JSON.stringify({ tokens: { access: token, expires: 1 } });

async function lent(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const [home, folder] = [tempDir(), tempDir()];
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const places = { 'data/auth.json': ['$AGENT_HOME/auth.json', '~/.agent/auth.json'] };
  const logins = await lendLogins(folder, places, { HOME: home, ...env });
  return { ...logins, person: join(home, '.agent/auth.json'), copy: join(folder, 'data/auth.json') };
}

it('an agent gets a copy of the login that only its user can read', async () => {
  const { isLent, copy } = await lent({ '.agent/auth.json': login('a') });
  expect(isLent).toBe(true);
  expect(readFileSync(copy, 'utf8')).toBe(login('a'));
  expect(statSync(copy).mode & 0o777).toBe(0o600);
});

it('the folder that a variable names comes before the one at home', async () => {
  const other = tempDir();
  writeFileSync(join(other, 'auth.json'), login('other'));
  const { copy } = await lent({ '.agent/auth.json': login('a') }, { AGENT_HOME: other });
  expect(readFileSync(copy, 'utf8')).toBe(login('other'));
});

it.each([
  ['there is no file', {}],
  ['the file is too large for a login', { '.agent/auth.json': `"${'x'.repeat(64 * 1024)}"` }],
])('nothing is lent if %s', async (_, files) => {
  const { isLent, copy, giveBack } = await lent(files);
  expect(isLent).toBe(false);
  expect(existsSync(copy)).toBe(false);
  await giveBack();
});

it('a login that the agent has renewed goes back', async () => {
  const { person, copy, giveBack } = await lent({ '.agent/auth.json': login('a') });
  writeFileSync(copy, login('b'));
  await giveBack();
  expect(readFileSync(person, 'utf8')).toBe(login('b'));
});

it.each<[string, (copy: string) => void]>([
  ['has another field', (copy) => writeFileSync(copy, '{"tokens":{"access":"b","expires":1},"helper":"sh"}')],
  ['lacks a field', (copy) => writeFileSync(copy, '{"tokens":{"access":"b"}}')],
  ['has a value of another kind', (copy) => writeFileSync(copy, '{"tokens":{"access":["b"],"expires":1}}')],
  ['is no JSON', (copy) => writeFileSync(copy, 'b')],
  ['is gone', (copy) => rmSync(copy)],
  [
    'is a folder',
    (copy) => {
      rmSync(copy);
      mkdirSync(copy);
    },
  ],
  [
    'is a link to another file',
    (copy) => {
      const secret = join(tempDir(), 'secret');
      writeFileSync(secret, login('b'));
      rmSync(copy);
      symlinkSync(secret, copy);
    },
  ],
])('a copy of a login that %s does not go back', async (_, change) => {
  const { person, copy, giveBack } = await lent({ '.agent/auth.json': login('a') });
  change(copy);
  await giveBack();
  expect(readFileSync(person, 'utf8')).toBe(login('a'));
});

it('a renewed login does not replace one that the person has renewed meanwhile', async () => {
  const { person, copy, giveBack } = await lent({ '.agent/auth.json': login('a') });
  writeFileSync(copy, login('b'));
  writeFileSync(person, login('c'));
  await giveBack();
  expect(readFileSync(person, 'utf8')).toBe(login('c'));
});
