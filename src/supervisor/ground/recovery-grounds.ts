// Sessions of dead processes are finished where they worked, which need not be where this process lets its own work.
import { findGit } from '../../host/git/git-directory.ts';
import type { Place } from '../../host/git/own-git.ts';
import { readSessionRecord } from '../../host/in-place/session-record.ts';
import type { LiveSession } from '../../queue/sessions/live-session.ts';
import type { Ground, GroundKind } from './ground.ts';

type Opened = { ground: Ground };

type RecoveryGrounds<O extends Opened> = {
  of(session: LiveSession['session']): Promise<O>;
  /** Ends those that were opened for it. */
  end(): Promise<void>;
};

/** `own`: the ground of this process, if it has one already. `open`: null for where this process would work. */
export function recoveryGrounds<O extends Opened>(
  place: Pick<Place, 'root' | 'stateDir'>,
  own: O | null,
  open: (kind: GroundKind | null) => Promise<O>,
): RecoveryGrounds<O> {
  const opened: O[] = [];
  return {
    of: async (session) => {
      const kind = await openGround(place, session);
      const known = [...(own === null ? [] : [own]), ...opened];
      const found = known.find(({ ground }) => kind === null || ground.kind === kind);
      if (found !== undefined) return found;
      const next = await open(kind);
      opened.push(next);
      return next;
    },
    end: async () => {
      for (const { ground } of opened) {
        try {
          // What refs hold by now leaves the person's checkout.
          if (ground.kind === 'checkout') await ground.afterRecovery();
        } finally {
          await ground.end();
        }
      }
    },
  };
}

/** Null if the session was killed before its files were ready: any ground can finish it. */
async function openGround(
  place: Pick<Place, 'root' | 'stateDir'>,
  { id, slot }: LiveSession['session'],
): Promise<GroundKind | null> {
  if (slot !== null && findGit(place.root) !== null) return 'slots';
  return (await readSessionRecord(place, id)) === null ? null : 'checkout';
}
