import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withIdentity } from '../../../src/host/commits/identity.ts';
import { git } from '../../../src/host/git/git.ts';
import { personsSettings, scopedSettings, withoutFilters } from '../../../src/host/git/persons-settings.ts';
import { slotRepository } from '../../support/slots.ts';

it('git is asked again only after its configuration changed', async () => {
  const { place, git: person } = await slotRepository();
  const first = await scopedSettings(place);
  expect(await scopedSettings(place)).toBe(first);
  person('config', 'user.signingkey', 'mine');
  expect((await personsSettings(place)).get('user.signingkey')).toBe('mine');
});

it('a filter that appears between two calls is switched off', async () => {
  const { place, folder, write, git: person } = await slotRepository();
  await withoutFilters(place);
  const mark = join(folder, 'ran');
  person('config', 'filter.late.clean', `touch ${mark}; cat`);
  write('.gitattributes', '*.js filter=late\n');
  write('src/app.js', 'two\n');
  await git(await withoutFilters(place), ['add', 'src/app.js']);
  expect(existsSync(mark)).toBe(false);
});

it('a name in an included file counts as soon as the file has it', async () => {
  const { place, folder, git: person } = await slotRepository();
  person('config', '--unset', 'user.name');
  const included = join(folder, 'included');
  writeFileSync(included, '');
  person('config', 'include.path', included);
  expect((await withIdentity(place)).env['GIT_AUTHOR_NAME']).toBe('Ralph');
  writeFileSync(included, '[user]\n\tname = B\n');
  expect((await withIdentity(place)).env['GIT_AUTHOR_NAME']).toBe('B');
});
