// Shares the files of a run's sessions with the other machines of a fleet, every few seconds and once more when a session has ended. On
// a database of this machine alone nothing is written twice.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../domain/config.ts';
import { Refusal, Unreachable } from '../../domain/refusal.ts';
import { writeFileWhole } from '../../files/write-file.ts';
import { sessionDir, TRANSIENT } from '../../host/session-folder.ts';
import { recentlyEnded, removeOldArtifacts } from '../../queue/sessions/artifacts.ts';
import { beatEvery } from '../../queue/sessions/heartbeat.ts';
import { type SharedSession, type SharePlace, shareSession } from './share-session.ts';

const EVERY_MS = 2_000;
const REMOVE_EVERY_MS = 6 * 3_600_000;
/** How long the end of a session, or of a run, waits for the database. What is left follows later, at the latest in the next run. */
const [FLUSH_MS, STOP_MS] = [5_000, 20_000];
const DAY_MS = 24 * 3_600_000;

/** In the folder of a session: the database that has all of its files. */
const MARK = 'shared';

export type ArtifactSharing = {
  begin(session_id: string): void;
  /** The agent has ended: a person who follows it on another machine gets all of it before the session counts as ended. */
  flush(session_id: string): Promise<void>;
  /** `isLost`: another run has the session now. */
  end(session_id: string, options?: { isLost?: boolean }): void;
  /** Resolves when all is written, or could not be within some time. */
  stop(): Promise<void>;
};

const NO_SHARING: ArtifactSharing = {
  begin: () => {},
  flush: async () => {},
  end: () => {},
  stop: async () => {},
};

type SharingInput = SharePlace & {
  config: Pick<Config, 'fleet'>;
  /** What keeps the files from the other machines. */
  onRefused(reason: string): void;
};

export function shareArtifacts(
  { queue, stateDir, config, onRefused }: SharingInput,
  { everyMs = EVERY_MS, stopMs = STOP_MS } = {},
): ArtifactSharing {
  if (!queue.store.isShared) return NO_SHARING;
  const place = { queue, stateDir };
  const keepMs = config.fleet.keep_days * DAY_MS;
  const sessions = new Map<string, { shared: SharedSession; isOver: boolean }>();
  let removed = Number.NEGATIVE_INFINITY;
  let hasLookedBack = false;

  /** One session that fails must not keep back the others. While the database is away, all of them wait. */
  const tellProblem = (error: unknown): false => {
    if (error instanceof Unreachable) throw error;
    onRefused(refusedText(error));
    return false;
  };

  const pass = async (): Promise<void> => {
    for (const [id, { shared, isOver }] of [...sessions]) {
      const isWhole = await shared.pass(isOver).then(() => true, tellProblem);
      if (!isOver) continue;
      sessions.delete(id);
      if (isWhole) await mark(place, id);
    }
    if (performance.now() - removed > REMOVE_EVERY_MS) {
      removed = performance.now();
      await removeOldArtifacts(queue, keepMs);
    }
    // After the sessions at work: what earlier runs left may be much.
    if (hasLookedBack) return;
    hasLookedBack = true;
    for (const id of await unshared(place, keepMs))
      if (!sessions.has(id)) sessions.set(id, { shared: shareSession(place, id, false), isOver: true });
  };
  const beat = beatEvery(pass, everyMs, (error) => {
    // The lease says it when the database is away.
    if (!(error instanceof Unreachable)) onRefused(refusedText(error));
  });

  return {
    begin: (id) => {
      sessions.set(id, { shared: shareSession(place, id), isOver: false });
    },
    flush: async (id) => {
      await within(FLUSH_MS, sessions.get(id)?.shared.pass(true));
    },
    end: (id, { isLost = false } = {}) => {
      const { shared } = sessions.get(id) ?? { shared: shareSession(place, id) };
      if (isLost) shared.give();
      sessions.set(id, { shared, isOver: true });
    },
    stop: async () => {
      const passAll = async (): Promise<void> => {
        await beat.stop();
        for (const one of sessions.values()) one.isOver = true;
        await pass();
      };
      await within(stopMs, passAll());
    },
  };
}

/** A failure is told by the next pass. */
async function within(mostMs: number, work: Promise<void> | undefined): Promise<void> {
  const over = new AbortController();
  await Promise.race([
    work?.catch(() => {}),
    pause(mostMs, undefined, { signal: over.signal }).catch(() => {}),
  ]);
  over.abort();
}

const refusedText = (error: unknown): string =>
  `other machines do not see what sessions print here: ${error instanceof Refusal ? error.message : String(error)}`;

const markFile = ({ stateDir }: SharePlace, session_id: string): string =>
  join(sessionDir(stateDir, session_id), MARK);

/** Without the mark the next run compares the files once more. */
const mark = (place: SharePlace, session_id: string): Promise<void> =>
  writeFileWhole(markFile(place, session_id), `${place.queue.store.path}\n`, TRANSIENT).catch(() => {});

/** Ended sessions with files here that the database may lack: their run was killed, or the queue moved to it since. */
async function unshared(place: SharePlace, keepMs: number): Promise<string[]> {
  const ids = await readdir(join(place.stateDir, 'sessions')).catch(() => []);
  const isMarked = async (id: string): Promise<boolean> =>
    (await readFile(markFile(place, id), 'utf8').catch(() => '')).trim() === place.queue.store.path;
  const marks = await Promise.all(ids.map(isMarked));
  const left = ids.filter((_, index) => !marks[index]);
  return left.length === 0 ? [] : recentlyEnded(place.queue, left, keepMs);
}
