// The git remote as the meeting place of several machines: its branch is the trunk, and refs there hold what is not finished.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { LandConfig } from '../../domain/config.ts';
import { Refusal } from '../../domain/refusal.ts';
import { GateStopped } from '../gates/gates.ts';
import { listSettings, runGit } from '../git/git.ts';
import { findGit } from '../git/git-directory.ts';
import { ownGit, type Place } from '../git/own-git.ts';
import type { Environment } from '../processes/spawn.ts';
import { credentials, PROTOCOLS, TIMEOUT_MS } from './network-git.ts';
import { explainFailure, RemoteFailed } from './remote-failure.ts';

export type Remote = {
  /** As the person's repository calls it, such as `origin`. */
  name: string;
  /** Where work waits there, such as `refs/ralph/`; null if machines do not meet there. */
  refs: string | null;
  /** How long an outage may last. */
  patienceMs: number;
  stop?: AbortSignal;
  /** Once for each outage. */
  onOutage?(sentence: string): void;
};

/** Null if this machine works alone. `waiting`: how to wait for it; by default not at all. */
export const configuredRemote = (
  { remote, refs }: Pick<LandConfig, 'remote' | 'refs'>,
  waiting: Omit<Remote, 'name' | 'refs'> = { patienceMs: 0 },
): Remote | null => (remote === null ? null : { name: remote, refs, ...waiting });

/** A remote on which machines share what is not finished. */
export type MeetingPlace = Remote & { refs: string };

export const meetingPlace = (remote: Remote | null): MeetingPlace | null =>
  remote === null || remote.refs === null ? null : { ...remote, refs: remote.refs };

/** Refuses at once what no wait would mend. */
export async function requireKnownRemote(place: Place, { name }: Remote): Promise<void> {
  const found = findGit(place.root);
  if (found !== null && existsSync(join(found.commonDir, 'shallow')))
    throw new Refusal(
      'This clone is shallow, and land.remote needs the whole history: git fetch --unshallow.',
    );
  const settings = await listSettings(await ownGit(place, '/nonexistent'), '^remote\\..*\\.url$');
  if (!settings.has(`remote.${name}.url`))
    throw new Refusal(
      `There is no git remote ${name}, which land.remote names; add it with git remote add ${name} URL.`,
    );
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;
const LOOK_EVERY_MS = 200;

/** Repeats what an outage stopped, as long as the remote's patience lasts. */
export async function waitOutOutages<T>(remote: Remote, work: () => Promise<T>): Promise<T> {
  const { patienceMs, stop, onOutage } = remote;
  const began = performance.now();
  for (let tries = 0; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof RemoteFailed) || error.kind !== 'outage') throw error;
      if (performance.now() - began >= patienceMs) throw error;
      if (tries === 0) onOutage?.(`${error.message} Ralph tries again until it answers.`);
      await sleep(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries), stop);
    }
  }
}

/** A person who wants everything ended now waits for no remote; the next run goes on here. */
async function sleep(ms: number, stop?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= LOOK_EVERY_MS) {
    if (stop?.aborted) throw new GateStopped('A landing that waited for the remote was stopped.');
    await pause(Math.min(left, LOOK_EVERY_MS));
  }
}

// Clones a repository on an unattended machine, with the credentials that git has there.

/** Does nothing if there is a folder already. A killed clone leaves none: it appears whole or not at all. */
export async function cloneInto(folder: string, url: string, env: Environment): Promise<boolean> {
  if (existsSync(folder)) return false;
  const part = `${folder}.${process.pid}.part`;
  await mkdir(dirname(folder), { recursive: true });
  try {
    // From a folder that is in no repository: around one, git would take that for the clone's.
    const git = { root: '/', env, overrides: { GIT_ALLOW_PROTOCOL: PROTOCOLS, ...credentials(env) } };
    const ended = await runGit(git, ['clone', '--quiet', '--', url, part], { timeoutMs: TIMEOUT_MS });
    if (ended.code !== 0) throw explainFailure(ended, { name: 'origin', ref: 'HEAD' });
    await rename(part, folder);
    return true;
  } finally {
    await rm(part, { recursive: true, force: true });
  }
}
