// The git of a person, by its plumbing: it commits exactly the given files, whatever else is staged or changed.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ChaosProject } from '../project.ts';

export type PersonGit = {
  run(args: readonly string[], options?: { input?: string; index?: string }): string;
  read(object: string): string;
  /** A file in the work tree; null where there is none. */
  readTree(path: string): string | null;
  branch(): string;
  head(): string;
  subject(): string;
  /** The sentence of git where it refuses; null where it went. */
  switch(...args: string[]): string | null;
  /** An index that only the person's plumbing uses. */
  scratch: string;
};

export function openPersonGit({ root, env, folder }: ChaosProject): PersonGit {
  const run: PersonGit['run'] = (args, { input, index } = {}) =>
    execFileSync('git', [...args], {
      cwd: root,
      env: index === undefined ? env : { ...env, GIT_INDEX_FILE: index },
      encoding: 'utf8',
      stdio: 'pipe',
      ...(input !== undefined && { input }),
    });
  return {
    run,
    read: (object) => run(['cat-file', 'blob', object]),
    readTree: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : null),
    branch: () => run(['rev-parse', '--abbrev-ref', 'HEAD']).trim(),
    head: () => run(['rev-parse', 'HEAD']).trim(),
    subject: () => run(['log', '-1', '--format=%s']).trim(),
    switch: (...args) => {
      const { status, stderr } = spawnSync('git', ['switch', '-q', ...args], {
        cwd: root,
        env,
        encoding: 'utf8',
      });
      return status === 0 ? null : stderr.trim();
    },
    scratch: join(folder, 'person-index'),
  };
}

type Files = Readonly<Record<string, string>>;

/** Moves the branch to a commit of these files and answers with it. */
export function commitFiles(
  git: PersonGit,
  subject: string,
  files: Files,
  { amends = false }: { amends?: boolean } = {},
): string {
  const head = git.head();
  const parent = amends ? git.run(['rev-parse', 'HEAD^']).trim() : head;
  const entries = indexEntries(git, files);
  const commit = git.run(['commit-tree', treeWith(git, head, entries), '-p', parent, '-m', subject]).trim();
  moveHead(git, commit, head, entries, amends ? 'commit (amend)' : 'commit');
  return commit;
}

/** Puts a new commit below all commits that are not upstream yet, and answers with what became of them. */
export function replay(
  git: PersonGit,
  base: string,
  subject: string,
  files: Files,
): { upstream: string; rewritten: Map<string, string> } {
  const head = git.head();
  const entries = indexEntries(git, files);
  const upstream = git.run(['commit-tree', treeWith(git, base, entries), '-p', base, '-m', subject]).trim();
  const rewritten = new Map<string, string>();
  let tip = upstream;
  for (const old of git
    .run(['rev-list', '--reverse', `${base}..${head}`])
    .split('\n')
    .filter(Boolean)) {
    const message = git.run(['log', '-1', '--format=%B', old]);
    tip = git
      .run(['commit-tree', treeWith(git, old, entries), '-p', tip, '-F', '-'], { input: message })
      .trim();
    rewritten.set(old, tip);
  }
  moveHead(git, tip, head, entries, 'pull --rebase (finish)');
  return { upstream, rewritten };
}

const indexEntries = (git: PersonGit, files: Files): string =>
  Object.entries(files)
    .map(
      ([path, text]) =>
        `100644 ${git.run(['hash-object', '-w', '--stdin'], { input: text }).trim()}\t${path}\n`,
    )
    .join('');

function treeWith(git: PersonGit, commit: string, entries: string): string {
  const index = git.scratch;
  git.run(['read-tree', commit], { index });
  git.run(['update-index', '--index-info'], { index, input: entries });
  const tree = git.run(['write-tree'], { index }).trim();
  rmSync(index, { force: true });
  return tree;
}

const INDEX_TRIES = 20;

/** The agent may hold the lock of the index for a moment; a person types the command again. */
function moveHead(git: PersonGit, commit: string, from: string, entries: string, reason: string): void {
  for (let tries = 1; ; tries++) {
    try {
      git.run(['update-index', '--index-info'], { input: entries });
      break;
    } catch (error) {
      if (tries === INDEX_TRIES) throw error;
    }
  }
  git.run(['update-ref', '-m', reason, 'HEAD', commit, from]);
}
