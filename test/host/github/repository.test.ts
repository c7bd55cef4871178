import { expect, it } from 'vitest';
import { parseAddress, requireRepository } from '../../../src/host/github/repository.ts';
import { slotRepository } from '../../support/slots.ts';

it('the address of a remote names its host and repository, however it is written', () => {
  const shelf = { host: 'github.com', name: 'octo/shelf' };
  for (const url of [
    'git@github.com:octo/shelf.git',
    'https://github.com/octo/shelf',
    'https://kim:secret@github.com/octo/shelf.git/',
    'ssh://git@ssh.github.com:443/octo/shelf.git',
    'GitHub.com:octo/shelf',
  ])
    expect(parseAddress(url), url).toEqual(shelf);
  for (const url of ['/srv/shelf.git', 'file:///srv/octo/shelf', 'https://github.com/octo', ''])
    expect(parseAddress(url), url).toBeNull();
});

it('a remote that is not on this GitHub is refused with what to do, unless the repository is named', async () => {
  const { place, git } = await slotRepository();
  git('remote', 'add', 'origin', 'git@gitlab.com:octo/shelf.git');
  const at = { remote: 'origin', api: 'https://api.github.com', chosen: null };
  await expect(requireRepository(place, at)).rejects.toThrow(
    /the git remote origin is not at github\.com; .*github\.api for GitHub Enterprise/,
  );
  expect(await requireRepository(place, { ...at, chosen: 'octo/shelf' })).toBe('octo/shelf');
});
