// Git, asked so that nothing it finds in the repository is executed: no monitor, hook, external diff, filter or transport.
import { findExecutable } from './find-executable.ts';
import { runToEnd } from './spawn.ts';

export type Git = { root: string; env: Readonly<Record<string, string | undefined>> };

const HARMLESS = [
  '--no-optional-locks',
  '--no-pager',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
];
const TEXT_ONLY = ['diff', '--no-ext-diff', '--no-textconv', '--no-color'];
const TIMEOUT_MS = 10_000;
/** More than an agent can use; it has git itself. */
const MAX_DIFF = 16 * 1024;

/** What changed in the work tree since the commit; null where nothing did, or git cannot tell. */
export async function diffSince(git: Git, commit: string): Promise<string | null> {
  if (!/^[0-9a-f]{7,64}$/.test(commit)) return null;
  const diff = await run(git, [
    ...(await withoutFilters(git)),
    ...TEXT_ONLY,
    commit,
    '--',
    '.',
    ':(exclude).ralph',
  ]);
  if (diff === null || diff.trim() === '') return null;
  return diff.length <= MAX_DIFF
    ? diff
    : `${diff.slice(0, MAX_DIFF)}\n(cut: the whole is ${diff.length} characters long)`;
}

/** Where HEAD is; null without git, or before the first commit. */
export async function headCommit(git: Git): Promise<string | null> {
  const found = await run(git, ['rev-parse', '--verify', '--quiet', 'HEAD']);
  const commit = found?.trim() ?? '';
  return /^[0-9a-f]{40,64}$/.test(commit) ? commit : null;
}

/** Filters run when git looks at a changed file; each one that is configured is switched off by its name. */
async function withoutFilters(git: Git): Promise<string[]> {
  const listed = await run(git, ['config', '--name-only', '--get-regexp', '^filter\\.']);
  const names = new Set(
    (listed ?? '').split('\n').flatMap((key) => /^filter\.(.+)\.[^.]+$/.exec(key)?.[1] ?? []),
  );
  return [...names].flatMap((name) =>
    ['clean=', 'smudge=', 'process=', 'required=false'].flatMap((setting) => [
      '-c',
      `filter.${name}.${setting}`,
    ]),
  );
}

/** How a text differs from a file; null where it does not. */
export async function diffFromFile(git: Git, file: string, text: string): Promise<string | null> {
  return run(git, [...TEXT_ONLY, '--no-index', '--', file, '-'], text);
}

async function run({ root, env }: Git, args: readonly string[], input?: string): Promise<string | null> {
  const executable = findExecutable('git', env['PATH']);
  if (executable === null) return null;
  const options = { cwd: root, env, timeoutMs: TIMEOUT_MS, ...(input !== undefined && { input }) };
  const { code, stdout } = await runToEnd(executable, [...HARMLESS, ...args], options);
  // 1 is git's way to say that two files differ.
  return (code === 0 || code === 1) && stdout !== '' ? stdout : null;
}
