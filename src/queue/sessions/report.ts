import { Refusal } from '../../domain/refusal.ts';
import type { FlakyGate } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import type { Session } from '../../domain/sessions/session.ts';
import {
  FLAG_SEVERITIES,
  isVerb,
  type Signal,
  type SignalOf,
  type Verb,
} from '../../domain/sessions/signal.ts';
import type { Status } from '../../domain/tasks/task.ts';
import { isTry, numberTries } from '../../domain/tasks/tries.ts';
import type { Reader } from '../../store/database.ts';
import { countLandings, planningEvents } from '../../store/events.ts';
import {
  commitsOfRun,
  flakyGatesOfRun,
  type GateOfRun,
  gatesOfRun,
  type LearningOfRun,
  learningsOfRun,
  type QuestionOfRun,
  questionsOfRun,
  sessionsOfRun,
  signalsOfRun,
} from '../../store/sessions/report.ts';
import { latestRunWithSessions, type RunRecord } from '../../store/sessions/runs.ts';
import { sessionsOfTask } from '../../store/sessions/sessions.ts';
import type { PlanningRecord } from '../planning/planning.ts';
import type { Queue } from '../queue.ts';
import { requireRun } from '../require.ts';

export type Report = {
  run: RunRecord;
  tasks: TaskReport[];
  failed_gates: (Omit<GateOfRun, 'passed' | 'tail'> & { line: string })[];
  flaky_gates: FlakyGate[];
  questions: QuestionOfRun[];
  /** Most severe first. */
  flags: ReportedSignal<'flag'>[];
  learnings: LearningOfRun[];
  suggestions: ReportedSignal<'suggest'>[];
  totals: Spent & { sessions: number; tasks: number; done: number; gates: Gates };
  parallel: Parallel;
  /** The planning sessions since the run before, which belong to no run themselves. */
  planning: Omit<Spent, 'duration_ms'> & { sessions: number };
};

export type TaskReport = Spent & {
  id: number;
  title: string;
  /** The current status, which may be newer than the run. */
  status: Status;
  /** Of its last session in this run; null while that session runs. */
  outcome: string | null;
  /** In this run. */
  sessions: number;
  /** All tries of the task up to then, earlier runs included. */
  tries: number;
  /** Of the last session that ran gates. */
  gates: Gates;
  commit: string | null;
};

/** What sessions side by side saved, and what it cost. */
type Parallel = {
  /** The most sessions that were at work at the same time, each in a slot. */
  peak: number;
  /** The sum of the durations of all sessions. */
  sessions_ms: number;
  wall_ms: number;
  /** Without those before a session began. */
  gate_runs: number;
  landed: number;
  /** Sessions whose work did not fit what others landed. */
  conflicts: number;
};

type Spent = { duration_ms: number; cost_usd: number; input_tokens: number; output_tokens: number };
type Gates = { passed: number; total: number };
type ReportedSignal<V extends Verb> = Omit<SignalOf<V>, 'verb'> & { task_id: number };

/** Of this run, or of the latest run that had a session. */
export function report(queue: Queue, run_id: number | null): Promise<Report> {
  const at = queue.now();
  return queue.store.read(async (db) => {
    const run = run_id === null ? await requireLatestRun(db) : await requireRun(db, run_id);
    const gates = await gatesOfRun(db, run.id);
    const signals = await signalsOfRun(db, run.id);
    const sessions = await sessionsOfRun(db, run.id);
    const tries = await triesUntil(db, sessions);
    const tasks = taskReports({ sessions, gates, commits: await commitsOfRun(db, run.id), tries }, at);
    return {
      run,
      tasks,
      failed_gates: gates
        .filter(({ passed }) => !passed)
        .map(({ passed: _, tail, ...gate }) => ({
          ...gate,
          line: firstFailure({ ...gate, tail }),
        })),
      flaky_gates: await flakyGatesOfRun(db, run.id),
      questions: await questionsOfRun(db, run.id),
      flags: reportedSignals(signals, 'flag').sort((one, other) => severity(other) - severity(one)),
      learnings: await learningsOfRun(db, run.id),
      suggestions: reportedSignals(signals, 'suggest'),
      totals: {
        sessions: sessions.length,
        tasks: tasks.length,
        done: tasks.filter(({ outcome }) => outcome === 'done').length,
        gates: countGates(gates),
        ...addSpent(tasks),
      },
      parallel: {
        peak: mostAtOnce(
          sessions.map(({ session }) => session).filter(({ slot }) => slot !== null),
          at,
        ),
        sessions_ms: addSpent(tasks).duration_ms,
        wall_ms: (run.ended ?? at) - run.started,
        gate_runs: gates.length,
        ...(await countLandings(db, run.id)),
      },
      planning: await planningDuring(db, run, at),
    };
  });
}

/** A session that begins when another ends is not beside it. */
function mostAtOnce(sessions: readonly Pick<Session, 'started' | 'ended'>[], at: number): number {
  const beside = ({ started }: Pick<Session, 'started'>): number =>
    sessions.filter((other) => other.started <= started && (other.ended ?? at) > started).length;
  return Math.max(0, ...sessions.map(beside));
}

async function planningDuring(db: Reader, run: RunRecord, at: number): Promise<Report['planning']> {
  const before = await latestRunWithSessions(db, run.id);
  const since = before === null ? 0 : (before.ended ?? before.started);
  // What an MCP client does says nothing about planning.
  const events = run.kind === 'interactive' ? [] : await planningEvents(db, since, run.ended ?? at);
  const used = events.map(({ data }) => ({
    ...(data as Pick<PlanningRecord, 'usage'>).usage,
    duration_ms: 0,
  }));
  const { duration_ms: _, ...spent } = addSpent(used);
  return { ...spent, sessions: events.length };
}

async function requireLatestRun(db: Reader): Promise<RunRecord> {
  const run = await latestRunWithSessions(db);
  if (run === null) throw new Refusal('No run has had a session yet; ralph run works on the queue.');
  return run;
}

type SessionOfRun = { session: Session; title: string; status: Status };

/** By session: the number of tries of its task when it ended. */
async function triesUntil(db: Reader, sessions: readonly SessionOfRun[]): Promise<Map<string, number>> {
  const until = new Map<string, number>();
  for (const task_id of new Set(sessions.map(({ session }) => session.task_id)))
    for (const one of numberTries(await sessionsOfTask(db, task_id)))
      until.set(one.id, isTry(one) ? one.try : one.try - 1);
  return until;
}

type RunRows = {
  sessions: readonly SessionOfRun[];
  gates: readonly GateOfRun[];
  commits: ReadonlyMap<string, string>;
  tries: ReadonlyMap<string, number>;
};

function taskReports({ sessions, gates, commits, tries }: RunRows, at: number): TaskReport[] {
  const ids = new Set(sessions.map(({ session }) => session.task_id));
  return [...ids].map((id) => {
    const own = sessions.filter(({ session }) => session.task_id === id);
    const last = own.at(-1);
    const gated = gates.findLast(({ task_id }) => task_id === id)?.session_id;
    return {
      id,
      title: last?.title ?? '',
      status: last?.status ?? 'pending',
      outcome: last?.session.outcome ?? null,
      sessions: own.length,
      tries: tries.get(last?.session.id ?? '') ?? own.length,
      gates: countGates(gates.filter(({ session_id }) => session_id === gated)),
      commit: own.map(({ session }) => commits.get(session.id)).findLast((one) => one !== undefined) ?? null,
      ...addSpent(
        own.map(({ session }) => ({
          ...session.usage,
          duration_ms: (session.ended ?? at) - session.started,
        })),
      ),
    };
  });
}

const countGates = (gates: readonly { passed: boolean }[]): Gates => ({
  passed: gates.filter(({ passed }) => passed).length,
  total: gates.length,
});

function addSpent(parts: readonly Spent[]): Spent {
  const sum = (key: keyof Spent): number => parts.reduce((total, part) => total + part[key], 0);
  return {
    duration_ms: sum('duration_ms'),
    cost_usd: sum('cost_usd'),
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
  };
}

const severity = (flag: ReportedSignal<'flag'>): number => FLAG_SEVERITIES.indexOf(flag.severity);

const reportedSignals = <V extends Verb>(
  signals: readonly { task_id: number; signal: Signal }[],
  verb: V,
): ReportedSignal<V>[] =>
  signals.flatMap(({ task_id, signal }) => {
    if (!isVerb(verb)(signal)) return [];
    const { verb: _, ...fields } = signal;
    return [{ task_id, ...fields }];
  });
