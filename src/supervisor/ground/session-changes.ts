import type { FileChange } from '../../domain/context.ts';
import type { Place } from '../../host/git/own-git.ts';
import { sessionChanges } from '../../host/landing/session-changes.ts';
import { workChanges } from '../../host/work/changed-work.ts';

/** What a session changed, wherever it worked; null if nothing tells. */
export const changesOfSession = async (place: Place, session_id: string): Promise<FileChange[] | null> =>
  (await sessionChanges(place, session_id)) ?? workChanges(place, session_id);
