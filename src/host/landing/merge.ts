// Merges two commits without touching any files, and without running a merge driver of the repository.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, git, isAncestor, treeOfCommit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { ownGit, type Place } from '../git/own-git.ts';
import { pathText } from '../git/raw-path.ts';
import { changesBetween } from '../git/tree-changes.ts';
import { plainCommit, type WorkCommit } from './work-refs.ts';

export type Merge = {
  /** With conflict markers in the files of `conflicts`. */
  tree: string;
  conflicts: readonly string[];
};

/** Large merges take seconds. */
const MERGE_TIMEOUT_MS = 600_000;

export async function mergeCommits(repository: Place, ours: string, theirs: string): Promise<Merge> {
  const own = withShallow(repository, await ownGit(repository, '/nonexistent'));
  const labelled = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
  const { code, stdout } = await git(own, labelled, { answers: [1], timeoutMs: MERGE_TIMEOUT_MS });
  const [tree = '', ...paths] = stdout.split('\0').filter((part) => part !== '');
  return { tree, conflicts: code === 0 ? [] : [...new Set(paths)].map(pathText) };
}

/**
 * Puts the change between `base` and `commit` onto `tip`. If a person rewrote the branch meanwhile, `base` is not below `tip`, and
 * what they replaced must not come back as if the work had made it.
 */
export async function mergeWork(
  repository: Place,
  { base, commit }: Pick<WorkCommit, 'base' | 'commit'>,
  tip: string,
): Promise<Merge> {
  if (await isAncestor(repository, base, tip)) return mergeCommits(repository, tip, commit);
  // Git takes no merge base before version 2.40, so both sides get one as their parent.
  const side = async (of: string, parents: readonly string[]): Promise<string> =>
    plainCommit(repository, { tree: await treeOfCommit(repository, of), parents, message: 'A side\n' });
  const root = await side(base, []);
  return mergeCommits(repository, await side(tip, [root]), await side(commit, [root]));
}

/** In a shallow clone, git must know where its history ends. */
function withShallow({ root }: Place, own: Git): Git {
  const found = findGit(root);
  const file = found === null ? null : join(found.commonDir, 'shallow');
  return file !== null && existsSync(file)
    ? { ...own, overrides: { ...own.overrides, GIT_SHALLOW_FILE: file } }
    : own;
}

type OtherCommit = { commit: string; subject: string; paths: readonly string[] };

/** At most so many are named in a prompt. */
const MAX_OTHERS = 10;

/** The commits between two points that changed one of these paths; all of them if no path is given. */
export async function commitsBetween(
  repository: Place,
  from: string,
  to: string,
  paths: readonly string[] | null,
): Promise<OtherCommit[]> {
  const { stdout } = await git(repository, [
    'log',
    `--max-count=${MAX_OTHERS}`,
    '-z',
    '--format=%H%x00%s',
    `${from}..${to}`,
    ...(paths === null ? [] : ['--', ...paths.map((path) => `:(top,literal)${path}`)]),
  ]);
  const parts = stdout.split('\0');
  const others: OtherCommit[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [commit = '', subject = ''] = [parts[at]?.trim(), parts[at + 1]];
    if (commit === '') continue;
    const touched = (await changesBetween(repository, `${commit}^`, commit).catch(() => [])).map(({ path }) =>
      pathText(path),
    );
    const shared = paths === null ? [] : touched.filter((path) => paths.includes(path));
    others.push({ commit, subject: Buffer.from(subject, 'latin1').toString('utf8'), paths: shared });
  }
  return others;
}
