// Says why a repository cannot have slots, and what to do instead.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../../domain/refusal.ts';
import { git, gitLine, headCommit, listSettings } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import type { Place } from '../git/own-git.ts';

/** The first git whose `merge-tree` merges two commits without a checkout. */
const OLDEST_GIT = [2, 38] as const;
const IN_PLACE =
  'Use ralph run --in-place, or next_task with in_place: true; both work in your checkout, one session at a time.';

export async function requireSlots(repository: Place): Promise<void> {
  const reason = await whyNoSlots(repository);
  if (reason !== null) throw new Refusal(`Ralph cannot work in slots here: ${reason} ${IN_PLACE}`);
}

/** Null if slots work here. */
export async function whyNoSlots(repository: Place): Promise<string | null> {
  const found = findGit(repository.root);
  if (found === null) return 'this project is in no git repository.';
  const version = await gitLine(repository, ['version']);
  const old = whyTooOld(version);
  if (old !== null) return old;
  const head = await headCommit(repository);
  if (head === null) return 'the repository has no commit yet.';
  const settings = await listSettings(
    repository,
    '^(core\\.sparsecheckout|extensions\\.partialclone|remote\\..*\\.promisor)$',
  );
  if (settings.get('core.sparsecheckout') === 'true') return 'this is a sparse checkout.';
  if ([...settings.keys()].some((key) => key !== 'core.sparsecheckout'))
    return 'this is a partial clone, whose missing files Ralph does not fetch.';
  const tree = await git(repository, [
    'ls-tree',
    '--full-tree',
    '-r',
    '-z',
    '--format=%(objectmode)',
    'HEAD',
  ]);
  if (tree.stdout.includes('160000'))
    return 'this repository has submodules, which a slot does not check out.';
  if (await hasOwnFilters(found.commonDir)) return FILTERS;
  const filters = await git(
    repository,
    ['grep', '--quiet', '-E', '-e', '(^|[[:space:]])filter=', 'HEAD', '--', ':(top,glob)**/.gitattributes'],
    { answers: [1] },
  );
  return filters.code === 0 ? FILTERS : null;
}

const FILTERS = 'this repository stores files through filters, as LFS does.';

/** Attributes that only this clone has. */
async function hasOwnFilters(commonDir: string): Promise<boolean> {
  const attributes = await readFile(join(commonDir, 'info/attributes'), 'latin1').catch(() => '');
  return /(^|\s)filter=/.test(attributes);
}

/** `version`: as git says it. Null if slots work with it. */
export const whyTooOld = (version: string): string | null =>
  isNewEnough(version) ? null : `${version} is too old; slots need git ${OLDEST_GIT.join('.')} or newer.`;

/** Whether git can merge two commits without a checkout. */
export const hasMergeTree = async (repository: Place): Promise<boolean> =>
  isNewEnough(await gitLine(repository, ['version']));

function isNewEnough(version: string): boolean {
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const [first, second] = OLDEST_GIT;
  return Number(major) > first || (Number(major) === first && Number(minor) >= second);
}
