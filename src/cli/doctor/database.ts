// Checks that SQLite can be loaded, and installs it for an old Node, whose binary the package cannot hold.

import { databasePlace } from '../../app/database-address.ts';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { brokenText, unprovenText } from '../../domain/sessions/evidence.ts';
import { plural } from '../../domain/text/text.ts';
import { findExecutable } from '../../host/processes/find-executable.ts';
import { runToEnd } from '../../host/processes/spawn.ts';
import { findProject } from '../../host/project.ts';
import { readJournal } from '../../project/journal/journal.ts';
import {
  type DatabaseState,
  describePlace,
  inspectDatabase,
  installFolder,
  isAddress,
  loadSqlite,
} from '../../queue/database.ts';
import { findBrokenAnchors, verifyEvidence } from '../../queue/sessions/verify-evidence.ts';

/** Compiling takes two minutes, on a busy machine several times that. */
const INSTALL_TIMEOUT_MS = 30 * 60_000;

export async function checkSqlite(context: CommandContext, fix: boolean): Promise<string> {
  try {
    return loadSqlite();
  } catch (error) {
    const folder = installFolder();
    if (!fix || folder === null) throw error;
    await install(folder, context);
    return `${loadSqlite()}, installed for Node ${process.version}`;
  }
}

async function install(folder: string, { env, pipes }: CommandContext): Promise<void> {
  const npm = findExecutable('npm', env['PATH']);
  if (npm === null) throw new Refusal('npm was not found; install npm, or use Node 22.14 or newer.');
  pipes.log(
    `ralph: Installing SQLite for Node ${process.version}. If its binary cannot be downloaded, it is compiled, which takes minutes.\n`,
  );
  // npm starts Ralph within `npm install -g` or npx with settings of its own, which would be this install's as well.
  const own = Object.entries(env).filter(([name]) => !/^npm_(config_(global|prefix)|package_)/.test(name));
  const { code, stderr } = await runToEnd(npm, ['ci', '--prefix', folder], {
    cwd: folder,
    env: Object.fromEntries(own),
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  if (code === 0) return;
  const reason = /^npm error (?:code )?(E\w+)/m.exec(stderr)?.[1];
  throw new Refusal(
    `SQLite could not be installed for Node ${process.version}${reason === undefined ? '' : ` (${reason})`}; use Node 22.14 or newer, or install Python 3, make and a C++ compiler and make ${folder} writable, then run ralph doctor --fix again.`,
  );
}

// Checks the queue on PostgreSQL: the server, the connection, the tables and what the role may do. Nothing to say about SQLite.

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

// Does what is done stand on proof, and is that proof as Ralph wrote it?

export async function checkEvidence({ queue, root }: Project): Promise<string> {
  const { unproven, broken, end } = await verifyEvidence(queue);
  const [first] = [...broken, ...(await findBrokenAnchors(queue, await readAnchors(root)))];
  const parts = [
    ...(first === undefined ? [] : [`${brokenText(first)}; see ralph show ${first.task_id}.`]),
    ...(unproven.length === 0 ? [] : [unprovenText(unproven)]),
  ];
  if (parts.length > 0) throw new Refusal(parts.join(' '));
  return `${plural(end.id, 'row')}, as Ralph wrote ${end.id === 1 ? 'it' : 'them'}`;
}

/** By session: the hash of its receipt, as its line in the journal has it. */
async function readAnchors(root: string): Promise<Map<string, string>> {
  const { entries } = await readJournal(root);
  return new Map(
    entries.flatMap(({ entry: { session, proof } }) => (proof === null ? [] : [[session, proof] as const])),
  );
}
