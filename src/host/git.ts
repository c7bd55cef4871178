// Git, asked so that nothing it finds in the repository is executed: no monitor, hook, external diff, filter or transport.
import type { ProcessIdentity } from '../domain/session.ts';
import { findExecutable } from './find-executable.ts';
import { branchOf, commitAt, findGit } from './git-place.ts';
import { identify } from './process-identity.ts';
import type { Marker } from './reap.ts';
import { type Finished, runToEnd } from './spawn.ts';

export type Git = {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Looked up already, for what is done in one go. */
  filtersOff?: true;
  /** The names of those that are switched off. */
  filters?: readonly string[];
};

const HARMLESS = [
  '--no-optional-locks',
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'log.showSignature=false',
];
/** Of a repository inside the repository only its commit is compared: to look for more, git would obey that one's configuration. */
const TEXT_ONLY = ['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty'];
const TIMEOUT_MS = 60_000;
/** More than an agent can use; it has git itself. */
const MAX_DIFF = 16 * 1024;

/** What changed in the work tree since the commit; null where nothing did, or git cannot tell. */
export const diffSince = (git: Git, commit: string): Promise<string | null> => diff(git, commit, TEXT_ONLY);

/** What one commit changed; null where nothing, or git cannot tell. */
export const diffOf = (git: Git, commit: string): Promise<string | null> =>
  diff(git, commit, ['show', '--format=', ...TEXT_ONLY.slice(1)]);

async function diff(git: Git, commit: string, command: readonly string[]): Promise<string | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return null;
  const text = await run(await withoutFilters(git), [...command, commit, '--', '.', ':(exclude).ralph']);
  if (text === null || text.trim() === '') return null;
  return text.length <= MAX_DIFF
    ? text
    : `${text.slice(0, MAX_DIFF)}\n(cut: the whole is ${text.length} characters long)`;
}

/** Where HEAD is; null without git, or before the first commit. */
export async function headCommit(git: Git): Promise<string | null> {
  // Read from its file where that can be understood: a process costs more than all the rest.
  const place = findGit(git.root);
  const branch = place === null ? null : branchOf(place);
  const known = place === null || branch === null ? undefined : commitAt(place, branch);
  if (known !== undefined) return known;
  const found = await run(git, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const commit = found?.trim() ?? '';
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

/** Filters run when git looks at a changed file, also while it writes a tree; each one that is configured is switched off by its name. */
export async function withoutFilters(git: Git): Promise<Git> {
  if (git.filtersOff) return git;
  const listed = await run(git, ['config', '--name-only', '--get-regexp', '^filter\\.']);
  const names = new Set(
    (listed ?? '').split('\n').flatMap((key) => /^filter\.(.+)\.[^.]+$/.exec(key)?.[1] ?? []),
  );
  const settings = [...names].flatMap((name) =>
    OFF.map(([key, value]) => [`filter.${name}.${key}`, value] as const),
  );
  const env = Object.fromEntries(
    settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  return {
    ...git,
    env: { ...git.env, ...env, GIT_CONFIG_COUNT: String(settings.length) },
    filtersOff: true,
    filters: [...names],
  };
}

const OFF = [
  ['clean', ''],
  ['smudge', ''],
  ['process', ''],
  ['required', 'false'],
] as const;

/** How a text differs from a file; null where it does not. */
export async function diffFromFile(git: Git, file: string, text: string): Promise<string | null> {
  return run(git, [...TEXT_ONLY, '--no-index', '--', file, '-'], text);
}

const MARKER = 'RALPH_GIT_OF';
const ownerOf = ({ pid, process_started }: ProcessIdentity): string => `${pid}.${process_started ?? ''}`;
const OWN_MARKER = [MARKER, ownerOf(identify(process.pid))] as const;

/** Carried by every git that a process has started: it lives on when that process is killed. */
export const markerOfGit = (of: ProcessIdentity): Marker => `${MARKER}=${ownerOf(of)}`;

async function run(git: Git, args: readonly string[], input?: string): Promise<string | null> {
  const { code, stdout } = await finish(git, args, input);
  // 1 is git's way to say that two files differ.
  return (code === 0 || code === 1) && stdout !== '' ? stdout : null;
}

/** What git printed; null where it did not succeed, or is not there. */
export async function gitText(git: Git, args: readonly string[], input?: string): Promise<string | null> {
  const { code, stdout } = await finish(git, args, input);
  return code === 0 ? stdout : null;
}

/** How it ended; without a code where git is not there, or was ended. */
export const gitEnd = (git: Git, args: readonly string[]): Promise<Finished> => finish(git, args);

/** As it was found by its files: what `core.worktree` or `core.bare` say by now may be an agent's word. */
function placeOf(root: string): Readonly<Record<string, string>> {
  const place = findGit(root);
  return place === null ? {} : { GIT_DIR: place.gitDir, GIT_WORK_TREE: place.worktree };
}

async function finish({ root, env }: Git, args: readonly string[], input?: string): Promise<Finished> {
  const executable = findExecutable('git', env['PATH']);
  if (executable === null) return { code: null, stdout: '', stderr: '' };
  const [name, value] = OWN_MARKER;
  const marked = { ...env, ...placeOf(root), [name]: value };
  const options = { cwd: root, env: marked, timeoutMs: TIMEOUT_MS, ...(input !== undefined && { input }) };
  return runToEnd(executable, [...HARMLESS, ...args], options);
}
