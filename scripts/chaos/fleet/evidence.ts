// Everything that is left after a round of a fleet, read by SQL, git, the file system and /proc.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closeQueue, openQueue } from '../../../src/queue/queue.ts';
import { verifyEvidence } from '../../../src/queue/sessions/verify-evidence.ts';
import { newPersonLog } from '../disturb/person-log.ts';
import { gitIn, judgeClone, readBranches, splitLines } from '../evidence/repository.ts';
import { QUERIES } from '../evidence/rows.ts';
import { type CommonEvidence, filesBelow, slotFilesIn } from '../evidence.ts';
import { readAcknowledged, readGates } from '../ledger.ts';
import type { Process } from '../processes.ts';
import type { FleetPlan } from './plan.ts';
import type { FleetDisturbed, RunOutput } from './round.ts';
import type { Absence, FleetScene } from './scene.ts';
import { query } from './server.ts';

/** `started`, `at`: when a run began, and when another one took over from it, by the clock of the database. */
type Loss = { started: number; at: number };

/** A run that another run declared lost. */
export type LostRun = Loss & { run_id: number; host: string; by: number };

/**
 * `phase`: how far a session had come when another run took it over; `from` and `to` are hosts. `had_ended`: the run that had it
 * was over by then.
 */
export type TakenOver = Loss & {
  session_id: string;
  phase: string | null;
  from: string;
  to: string;
  had_ended: boolean;
};

export type FleetEvidence = Omit<CommonEvidence, 'disturbed' | 'plan'> & {
  plan: FleetPlan;
  disturbed: readonly FleetDisturbed[];
  lost: LostRun[];
  takenOver: TakenOver[];
  /** Sessions of one task that were at work at the same time. */
  overlaps: { task_id: number; first: string; second: string }[];
  absences: readonly Absence[];
  outputs: readonly RunOutput[];
  /** Exit codes of the last runs, on each machine. */
  lastCodes: (number | null)[];
  /** Machines whose worker did not end when it was told to. */
  hung: readonly string[];
  /** What Ralph asks a person. */
  questions: { task_id: number; question: string }[];
  /** What the chain of evidence does not vouch for. */
  unproven: string[];
  /** Beside the clone and the home of each machine. */
  tempFiles: string[];
};

export type Played = {
  disturbed: FleetDisturbed[];
  processes: Process[];
  outputs: RunOutput[];
  lastCodes: (number | null)[];
  hung: string[];
};

export async function gatherFleetEvidence(
  plan: FleetPlan,
  scene: FleetScene,
  { disturbed, processes, outputs, lastCodes, hung }: Played,
): Promise<FleetEvidence> {
  const { url, remote, ledger, folder, laptop, machines, absences } = scene;
  const { env } = laptop;
  const all = <Row>(text: string): Promise<Row[]> => query<Row>(url, text);
  const git = gitIn(laptop, remote.bare);
  const person = newPersonLog('');
  const works = [...plan.tasks.flatMap(({ id }) => [`work/${id}.txt`, `claims/${id}.txt`]), 'shared.txt'];
  const branches = readBranches(git, person, works);
  const fsck = spawnSync('git', ['fsck', '--strict', '--no-dangling'], {
    cwd: remote.bare,
    env,
    encoding: 'utf8',
  });
  const below = (place: (machine: string) => string): string[] =>
    machines.flatMap((machine) => {
      const root = place(machine.folder);
      return existsSync(root) ? filesBelow(root) : [];
    });
  return {
    plan,
    disturbed,
    acknowledged: readAcknowledged(ledger),
    gatesSeen: readGates(ledger),
    tasks: await all(QUERIES.tasks),
    runs: await all(QUERIES.runs),
    sessions: await all(QUERIES.sessions),
    signals: await all(QUERIES.signals),
    receipts: await all(QUERIES.receipts),
    gateRuns: await all(QUERIES.gateRuns),
    lost: await all(`select run_id, runs.host, (data::json ->> 'by')::bigint as by, runs.started, events.at
      from events join runs on runs.id = run_id where events.kind = 'run.lost'`),
    takenOver: await all(TAKEN_OVER),
    overlaps: await all(OVERLAPS),
    absences,
    outputs,
    lastCodes,
    hung,
    questions: await all(
      'select task_id, question from questions where answer is null and dismissed is null',
    ),
    unproven: await findUnproven(url),
    branches,
    clones: judgeClone({ folder, root: remote.bare, ledger, env }, [
      'HEAD',
      ...branches.flatMap(({ taskCommits }) => taskCommits.map(({ hash }) => hash)),
    ]),
    fsck: { code: fsck.status, output: `${fsck.stdout}${fsck.stderr}` },
    refs: splitLines(git('for-each-ref', '--format=%(refname)', 'refs/ralph')),
    person,
    slotFiles: machines.flatMap((machine) =>
      slotFilesIn(join(machine.folder, 'home/.local/state/ralph/slots')),
    ),
    gitFiles: [...below((machine) => join(machine, 'clone/.git')), ...filesBelow(remote.bare)],
    runtimeFiles: below((machine) => join(machine, 'run')),
    tempFiles: below((machine) => join(machine, 'tmp')),
    processes,
  };
}

/** Between machines only: a machine that is started again goes on with its own sessions. */
const TAKEN_OVER = `
  select adoption.session_id, adoption.at, before.started, before.host as "from", after.host as "to", (
    select data::json ->> 'phase' from events as earlier
    where earlier.session_id = adoption.session_id and earlier.kind = 'session.phase' and earlier.id < adoption.id
    order by earlier.id desc limit 1) as phase, exists (
    select 1 from events as ending
    where ending.run_id = before.id and ending.kind = 'run.ended' and ending.id < adoption.id) as had_ended
  from events as adoption
  join runs as after on after.id = adoption.run_id
  join runs as before on before.id = (adoption.data::json ->> 'from')::bigint
  where adoption.kind = 'session.adopted' and before.host <> after.host`;

/** By the order of events: clocks differ. */
const OVERLAPS = `
  select began.task_id, began.session_id as first, later.session_id as second
  from events as began join events as later on later.task_id = began.task_id and later.id > began.id
  where began.kind = 'session.started' and later.kind = 'session.started' and not exists (
    select 1 from events as ending
    where ending.session_id = began.session_id and ending.kind = 'session.ended' and ending.id < later.id)`;

async function findUnproven(url: string): Promise<string[]> {
  const queue = await openQueue(url);
  try {
    const { unproven, broken } = await verifyEvidence(queue);
    return [
      ...unproven.map((id) => `nothing vouches for task ${id}`),
      ...broken.map((one) => JSON.stringify(one)),
    ];
  } finally {
    await closeQueue(queue);
  }
}
