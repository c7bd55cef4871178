import { type Git, git, treeOfCommit } from './git.ts';

/** A long history of generated files takes long to compare. */
const DIFF_TIMEOUT_MS = 300_000;

/** What a commit changed since its first parent, as a patch. Nothing that the repository names runs. */
export async function diffOfCommit(repository: Git, commit: string): Promise<string> {
  const parent = await git(repository, ['rev-parse', '--verify', '--quiet', `${commit}^`], { answers: [1] });
  const from = parent.code === 0 ? parent.stdout.trim() : await treeOfCommit(repository, null);
  const options = ['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames'];
  const { stdout } = await git(
    repository,
    ['diff-tree', '-r', '-p', ...options, '--src-prefix=a/', '--dst-prefix=b/', from, commit],
    { timeoutMs: DIFF_TIMEOUT_MS },
  );
  return Buffer.from(stdout, 'latin1').toString('utf8');
}
