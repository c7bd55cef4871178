// Checks the versions of Node and git, and asks programs for theirs.
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { headCommit } from '../../host/git/git.ts';
import { findGit } from '../../host/git/git-directory.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import { runToEnd } from '../../host/processes/spawn.ts';
import { whyTooOld } from '../../host/slots/require-slots.ts';
import { CONFIG_FILE } from '../../project/read-config.ts';
import { NO_COMMIT } from '../../supervisor/ground/in-place.ts';

const VERSION_TIMEOUT_MS = 10_000;

export function checkNode(version: string = process.versions.node): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return version;
  throw new Refusal(`${version} is too old; install Node 20.19 or newer.`);
}

/** `isInPlace`: whether sessions work in the checkout, so that no slot is needed. */
export async function checkGit(context: CommandContext, isInPlace: () => Promise<boolean>): Promise<string> {
  const version = await readVersion('git', context);
  if (version === null) throw new Refusal('git was not found; install it, so that work can be committed.');
  const repository = { root: context.project, env: context.env };
  if (findGit(context.project) !== null && (await headCommit(repository)) === null)
    throw new Refusal(NO_COMMIT);
  const old = whyTooOld(version);
  if (old !== null && !(await isInPlace()))
    throw new Refusal(
      `${old} Install a newer git, or let sessions work in your checkout: ralph run --in-place, or in_place: true in ${CONFIG_FILE}.`,
    );
  return version;
}

/** Its first line; null if there is no such program, or it fails. */
export async function readVersion(command: string, { env, cwd }: CommandContext): Promise<string | null> {
  const executable = findExecutable(command, env['PATH']);
  if (executable === null) return null;
  const { code, stdout } = await runToEnd(executable, ['--version'], {
    cwd,
    env,
    timeoutMs: VERSION_TIMEOUT_MS,
  });
  return code === 0 ? (stdout.trim().split('\n')[0] ?? '') : null;
}
