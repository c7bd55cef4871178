import { NeedsPerson } from '../../domain/refusal.ts';
import type { Place } from '../git/own-git.ts';
import { isBesideDefinitions } from '../project.ts';
import { readBase } from './session-base.ts';

/** Whether Ralph knows the work tree before the session. State outside a git directory may never have had a record. */
const hasRecord = async (place: Place, session_id: string): Promise<boolean> =>
  isBesideDefinitions(place) || (await readBase(place, session_id)) !== null;

/** Without the record Ralph can commit nothing of the session, and a done would have no proof. */
export async function requireRecord(place: Place, session_id: string): Promise<void> {
  if (await hasRecord(place, session_id)) return;
  throw new NeedsPerson(
    'Ralph has lost its record of the work tree before this session, as when the git directory is removed, and cannot tell what the session changed. If the repository is gone, bring it back from a clone or a backup. Commit what you want to keep, and answer what remains to be done.',
  );
}
