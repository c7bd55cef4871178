// The only place that runs git. It throws on failure, syncs what it writes, and executes and fetches nothing that the repository
// names. Only host/remote/ lets it reach a network.
import { MachineFailed } from '../../domain/refusal.ts';
import { findExecutable } from '../processes/find-executable.ts';
import type { Environment, FinishedProcess } from '../processes/spawn.ts';
import { commitAt, currentBranch, findGit } from './git-directory.ts';
import { OWN_MARKER, runGitProcess } from './git-process.ts';

/** The repository around `root`, with the person's own configuration, index and refs. */
export type Git = {
  root: string;
  env: Environment;
  /** Variables that point git to Ralph's own git directory and index. */
  overrides?: Readonly<Record<string, string>>;
};

type GitOptions = {
  /** A string holds one character a byte, as the output does; a buffer is for text. */
  input?: string | Buffer;
  /** Exit codes that are an answer, such as 1 of `merge-base --is-ancestor`. Every other code except 0 is a failure. */
  answers?: readonly number[];
  timeoutMs?: number;
  /** Git is killed if it prints more. */
  maxOutputBytes?: number;
  /** Git is killed when this is aborted: only for what changes nothing. */
  stop?: AbortSignal | undefined;
};

/** `stdout` holds one character a byte: file names need not be UTF-8. */
type GitOutput = { code: number; stdout: string };

/** Git gave no answer, so the caller must not conclude anything. */
export class GitFailed extends MachineFailed {}

/** Git's own objects are synced too: a receipt must never name a commit that a power cut empties. */
const SETTINGS = [
  'core.fsync=committed,loose-object,reference,index',
  'core.fsyncMethod=fsync',
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.alternateRefsCommand=',
  'log.showSignature=false',
  'advice.graftFileDeprecated=false',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

const ALWAYS = {
  // A missing object of a partial clone is an error: to fetch it, git would run commands of the configuration.
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_TERMINAL_PROMPT: '0',
  // The content of an object must not depend on refs/replace or grafts, which an agent can write.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: '/dev/null',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** Only these of git's variables pass; others, such as GIT_DIR in a hook, would point it to another repository. */
const PERSONS_VARIABLES =
  /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_(?:NOSYSTEM|SYSTEM|GLOBAL)|EXEC_PATH)$/;

const TIMEOUT_MS = 60_000;

export async function git(
  repository: Git,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitOutput> {
  const { answers = [], timeoutMs = TIMEOUT_MS } = options;
  const ended = await runGit(repository, args, options);
  const { code, stdout } = ended;
  if (code === null || (code !== 0 && !answers.includes(code)))
    throw new GitFailed(`Git failed at ${args[0]} (${reason(ended, timeoutMs)}).`);
  return { code, stdout };
}

/** For callers that tell failures apart: never throws for one. */
export async function runGit(
  { root, env, overrides }: Git,
  args: readonly string[],
  { input, timeoutMs = TIMEOUT_MS, maxOutputBytes, stop }: Omit<GitOptions, 'answers'> = {},
): Promise<FinishedProcess> {
  const executable = findExecutable('git', env['PATH']);
  if (executable === null)
    throw new GitFailed('Git is not installed, but this project is a git repository; install git.');
  return runGitProcess(executable, ['--no-pager', ...SETTINGS, ...args], {
    cwd: root,
    // With a git directory of Ralph's own, `root` may be a folder whose `.git` an agent has damaged.
    env: {
      ...safeEnvironment(env),
      ...(overrides?.['GIT_DIR'] === undefined && repositoryAround(root)),
      ...overrides,
    },
    timeoutMs,
    stop,
    encoding: 'latin1',
    ...(maxOutputBytes !== undefined && { maxOutputBytes }),
    ...(input !== undefined && { input: typeof input === 'string' ? Buffer.from(input, 'latin1') : input }),
  });
}

/** What git printed, in one line. */
export async function gitLine(
  repository: Git,
  args: readonly string[],
  options?: GitOptions,
): Promise<string> {
  return (await git(repository, args, options)).stdout.trim();
}

const safeEnvironment = (env: Environment): Environment => ({
  ...Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || PERSONS_VARIABLES.test(name)),
  ),
  ...ALWAYS,
  ...OWN_MARKER,
});

/** The repository as found by its files: an agent may have changed `core.worktree` or `core.bare`. */
function repositoryAround(root: string): Readonly<Record<string, string>> {
  const place = findGit(root);
  return place === null ? {} : { GIT_DIR: place.gitDir, GIT_WORK_TREE: place.worktree };
}

function reason({ signal, stderr }: FinishedProcess, timeoutMs: number): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('hint:'));
  const line = lines[0]?.slice(0, 300);
  if (signal === null) return line || 'it gave no reason';
  return signal === 'SIGKILL' ? `ended by SIGKILL, or after ${timeoutMs / 1_000} s` : `ended by ${signal}`;
}

/** `scope`: such as `global`, or `command` for those that Ralph itself sets. */
export type Setting = { scope: string; key: string; value: string };

/** Settings of every scope; for a key that is set twice the last counts. A setting without a value is true. */
export async function readSettings(repository: Git, pattern: string): Promise<Setting[]> {
  const { stdout } = await git(repository, ['config', '-z', '--show-scope', '--get-regexp', pattern], {
    answers: [1],
  });
  return [...stdout.matchAll(/([^\0]*)\0([^\0]*)\0/g)].map(([, scope = '', entry = '']) => {
    const [key = '', value = 'true'] = entry.split(/\n(.*)/s);
    return { scope, key, value };
  });
}

/** The person's settings: all except those that Ralph itself sets. */
export async function listSettings(repository: Git, pattern: string): Promise<Map<string, string>> {
  const settings = (await readSettings(repository, pattern)).filter(({ scope }) => scope !== 'command');
  return new Map(settings.map(({ key, value }) => [key, value]));
}

/** The commit of HEAD; null without git, or before the first commit. */
export async function headCommit(repository: Git): Promise<string | null> {
  const place = findGit(repository.root);
  if (place === null) return null;
  // Read the ref from its file if possible: a process costs far more.
  const branch = currentBranch(place);
  const known = branch === null ? undefined : commitAt(place, branch);
  if (known !== undefined) return known;
  const { code, stdout } = await git(repository, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], {
    answers: [1],
  });
  return code === 0 ? stdout.trim() : null;
}

/** Caches: a commit never changes, and each git process takes time. */
const treesOfCommits = new Map<string, string>();
const parentsOfCommits = new Map<string, string>();
const MAX_COMMITS = 64;

/** The tree of a commit; the empty tree before the first one. */
export async function treeOfCommit(repository: Git, commit: string | null): Promise<string> {
  if (commit === null)
    return gitLine(repository, ['hash-object', '-w', '-t', 'tree', '--stdin'], { input: '' });
  const known = treesOfCommits.get(commit);
  if (known !== undefined) return known;
  const tree = await gitLine(repository, ['rev-parse', '--verify', `${commit}^{tree}`]);
  rememberTree(commit, tree);
  return tree;
}

function rememberTree(commit: string, tree: string): void {
  // Never cache by the name of a ref, which moves.
  if (/^[0-9a-f]{40,64}\^?$/.test(commit)) remember(treesOfCommits, commit, tree);
}

/** Forgets the oldest commit only: the next session asks for the newest. */
function remember(cache: Map<string, string>, commit: string, value: string): void {
  const [oldest] = cache.keys();
  if (cache.size === MAX_COMMITS && oldest !== undefined) cache.delete(oldest);
  cache.set(commit, value);
}

/** For a commit that Ralph has just made, with exactly one parent. */
export function rememberCommit(commit: string, { tree, parent }: { tree: string; parent: string }): void {
  rememberTree(commit, tree);
  remember(parentsOfCommits, commit, parent);
}

/** The first parent of a commit. */
export async function parentOfCommit(repository: Git, commit: string): Promise<string> {
  return parentsOfCommits.get(commit) ?? gitLine(repository, ['rev-parse', '--verify', `${commit}^`]);
}

export const isAncestor = async (repository: Git, older: string, newer: string): Promise<boolean> =>
  (await git(repository, ['merge-base', '--is-ancestor', older, newer], { answers: [1] })).code === 0;

/** Whether Ralph made `newer` on top of `older`. False if it may have been otherwise. */
export const isKnownChild = (older: string, newer: string): boolean => parentsOfCommits.get(newer) === older;

/** Whether the repository has this object; a person may have pruned it. */
export const hasObject = async (repository: Git, hash: string): Promise<boolean> =>
  /^[0-9a-f]{40,64}$/.test(hash) &&
  (await git(repository, ['cat-file', '-e', hash], { answers: [1] })).code === 0;
