import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withIdentity } from '../../../src/host/commits/identity.ts';
import { makeCommitObject } from '../../../src/host/git/commit-object.ts';
import type { Place } from '../../../src/host/git/own-git.ts';
import { slotRepository, type TestRepository } from '../../support/slots.ts';

/** The person is known by git's settings only. */
const withoutVariables = ({ env, ...place }: Place): Place => ({
  ...place,
  env: Object.fromEntries(Object.entries(env).filter(([name]) => !/^GIT_(AUTHOR|COMMITTER)_/.test(name))),
});

/** Who made a commit of Ralph, byte by byte, and who would have made one of git. */
async function makers(one: TestRepository): Promise<{ ofRalph: string; ofGit: string }> {
  const tree = one.git('rev-parse', 'HEAD^{tree}');
  const place = withoutVariables(one.place);
  const made = await makeCommitObject(await withIdentity(place), { tree, parents: [], message: 'Build\n' });
  const run = (...args: string[]): string =>
    execFileSync('git', args, { cwd: one.top, env: place.env, encoding: 'latin1', stdio: 'pipe' }).trim();
  const makersOf = (commit: string): string =>
    run('cat-file', 'commit', commit)
      .replace(/> \d+ /g, '> ')
      .split('\n')
      .filter((line) => /^(author|committer) /.test(line))
      .join('\n');
  return { ofRalph: makersOf(made), ofGit: makersOf(run('commit-tree', tree, '-m', 'Build')) };
}

describe('a commit is by the person of the settings, exactly as git writes them', () => {
  it.each([
    ['Ann Example', 'ann@example.com'],
    ['Jörg Müller', 'jörg@exämple.org'],
    ['José', 'jose+work@example.com'],
    ['李雷', 'li@example.com'],
    ["Conan O'Brien, Jr.", 'conan@example.com'],
    [' "Zoë" <x>. ', ' zoe@example.com '],
  ])('for %s with %s', async (name, email) => {
    const one = await slotRepository();
    one.git('config', 'user.name', name);
    one.git('config', 'user.email', email);
    one.git('config', 'author.name', `${name} II`);
    const { ofRalph, ofGit } = await makers(one);
    expect(ofRalph).toBe(ofGit);
  });

  it('for a name that is not UTF-8', async () => {
    const one = await slotRepository();
    const section = '[user]\n\tname = J\xf6rg\n\temail = joerg@example.com\n';
    appendFileSync(join(one.top, '.git/config'), Buffer.from(section, 'latin1'));
    const { ofRalph, ofGit } = await makers(one);
    expect(ofRalph).toBe(ofGit);
  });
});
