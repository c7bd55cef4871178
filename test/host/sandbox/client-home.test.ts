import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openClientHome } from '../../../src/host/sandbox/client-home.ts';
import { tempDir } from '../../support/temp.ts';

const login = (expiresAt: number): string =>
  JSON.stringify({ claudeAiOauth: { accessToken: `a${expiresAt}`, refreshToken: 'r', expiresAt } });

function scene() {
  const [home, folder] = [tempDir(), join(tempDir(), 'home')];
  mkdirSync(join(home, '.claude'));
  const persons = join(home, '.claude/.credentials.json');
  writeFileSync(persons, login(1));
  const copy = join(folder, '.claude/.credentials.json');
  return { home, folder, persons, copy, open: () => openClientHome(folder, { HOME: home }) };
}

it('the home of an agent has the login and the account, and nothing else of the person', async () => {
  const { home, folder, copy, open } = scene();
  const settings = {
    oauthAccount: { id: 1 },
    mcpServers: { a: { env: { TOKEN: 'x' } } },
    projects: { '/a': {} },
  };
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settings));
  writeFileSync(join(home, '.claude/settings.json'), '{}');
  writeFileSync(
    join(home, '.npmrc'),
    'registry=https://packages.example.org/\n//packages.example.org/:_authToken=x\n',
  );
  await open();
  expect(readFileSync(copy, 'utf8')).toBe(login(1));
  expect(JSON.parse(readFileSync(join(folder, '.claude.json'), 'utf8'))).toEqual({ oauthAccount: { id: 1 } });
  expect(existsSync(join(folder, '.claude/settings.json'))).toBe(false);
  expect(readFileSync(join(folder, '.npmrc'), 'utf8')).toBe('registry=https://packages.example.org/\n');
});

it('a later session finds the caches of an earlier one, and none of its settings', async () => {
  const { folder, copy, open } = scene();
  const first = await open();
  mkdirSync(join(folder, '.npm'));
  writeFileSync(join(folder, '.bashrc'), 'planted');
  await first.close();
  expect(existsSync(copy)).toBe(false);
  await open();
  expect(existsSync(join(folder, '.bashrc'))).toBe(false);
  expect(existsSync(join(folder, '.npm'))).toBe(true);
});

it('a login that the client renewed goes back to the person', async () => {
  const { persons, copy, open } = scene();
  const client = await open();
  writeFileSync(copy, login(2));
  await client.close();
  expect(readFileSync(persons, 'utf8')).toBe(login(2));
});

it.each([
  ['is no login', () => '{"claudeAiOauth":{}}'],
  ['is older', () => login(0)],
  ['is no JSON', () => 'nonsense'],
])('a file that %s does not replace the login of the person', async (_, text) => {
  const { persons, copy, open } = scene();
  const client = await open();
  writeFileSync(copy, text());
  await client.close();
  expect(readFileSync(persons, 'utf8')).toBe(login(1));
});

it('neither a link nor a login that the person changed meanwhile is overwritten', async () => {
  const { home, persons, copy, open } = scene();
  const linked = await open();
  writeFileSync(join(home, 'other'), login(9));
  rmSync(copy);
  symlinkSync(join(home, 'other'), copy);
  await linked.close();
  expect(readFileSync(persons, 'utf8')).toBe(login(1));
  const late = await open();
  writeFileSync(copy, login(2));
  writeFileSync(persons, login(3));
  await late.close();
  expect(readFileSync(persons, 'utf8')).toBe(login(3));
});
