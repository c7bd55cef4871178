// Checks the queue on PostgreSQL: the server, the connection, the tables and what the role may do. Nothing to say about SQLite.
import { databasePlace } from '../../app/database-address.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { findProject } from '../../host/project.ts';
import { type DatabaseState, describePlace, inspectDatabase, isAddress } from '../../queue/database.ts';

/** Leases are on the clock of the database; people compare times with their own. */
const MOST_CLOCK_MS = 60_000;
/** More makes every write of every machine slow. */
const MOST_ROUND_TRIP_MS = 100;

/** Null where the queue is a file of SQLite. */
export async function checkPostgres(context: CommandContext): Promise<string | null> {
  const place = databasePlace(context, findProject(context.project).stateDir);
  if (!isAddress(place)) return null;
  // What cannot be reached, or refuses the login, is explained by this.
  const state = await inspectDatabase(place);
  return state === null ? null : judgePostgres(state, describePlace(place, context.env));
}

export function judgePostgres(state: DatabaseState, place: string): string {
  const { server, version, role, may_write, encrypted, durable, round_trip_ms, clock_ms } = state;
  if (Number.parseInt(server, 10) < 13)
    throw new Refusal(`${place} runs PostgreSQL ${server}; Ralph needs 13 or newer.`);
  if (version === null)
    throw new Refusal(`There are no tables at ${place}; make them with: ralph database migrate`);
  if (Math.abs(clock_ms) > MOST_CLOCK_MS)
    throw new Refusal(
      `The clock of this machine is ${Math.round(Math.abs(clock_ms) / 1_000)} s ${clock_ms > 0 ? 'behind' : 'ahead of'} that of ${place}; let a time service set both.`,
    );
  if (!durable)
    throw new Refusal(
      `fsync or full_page_writes is off at ${place}, so a power cut loses what Ralph said is recorded; turn both on in postgresql.conf.`,
    );
  if (round_trip_ms > MOST_ROUND_TRIP_MS)
    throw new Refusal(
      `${place} is ${round_trip_ms} ms away, and all machines wait for each write; use a server that is nearer.`,
    );
  const rights = may_write
    ? role
    : `${role}, which may only look: a run needs the role of a worker (docs/database.md)`;
  return `PostgreSQL ${server}, tables ${version}, ${encrypted ? 'encrypted' : 'on this machine, not encrypted'}, ${round_trip_ms} ms away, as ${rights}`;
}
