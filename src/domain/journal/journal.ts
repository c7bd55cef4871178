// The journal has one line per session and is committed to git. People read it, and Ralph can rebuild a database from it.
import type { Learning } from '../learnings/learning.ts';
import type { GateResult } from '../sessions/gate.ts';
import { firstFailure } from '../sessions/gate-output.ts';
import type { Session } from '../sessions/session.ts';
import { isVerb, lastClosing, type Signal, signalText } from '../sessions/signal.ts';
import type { Task } from '../tasks/task.ts';
import { type NumberedTry, numberTries } from '../tasks/tries.ts';
import { visible } from '../text/text.ts';
import { redactedLine, type WorkLog } from '../transcript/work-log.ts';

export const JOURNAL_VERSION = 1;

export type JournalEntry = {
  v: typeof JOURNAL_VERSION;
  session: string;
  run: number;
  task: number;
  title: string;
  feature: string | null;
  discipline: string | null;
  /** How often the task had been claimed; people count tries. */
  attempt: number;
  started: string;
  ended: string;
  outcome: string;
  verb: string | null;
  summary: string | null;
  errors: readonly string[];
  decisions: readonly string[];
  /** The files that the session wrote. `read` has those it only read. */
  files: readonly string[];
  read: readonly string[];
  commands: readonly CommandRun[];
  model: string | null;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  commit: string | null;
  /** The hash of its receipt. In git it is out of reach of a program that rewrites the database. */
  proof: string | null;
  /** Hashes of learnings, because ids differ between databases. */
  given: readonly string[];
  learned: readonly Pick<Learning, 'category' | 'scope' | 'body' | 'reason'>[];
};

/** With the number of each try. Takes all entries of their tasks: of some, the number would be too small. */
export function numberEntries(entries: readonly JournalEntry[]): NumberedTry<JournalEntry>[] {
  const byTask = new Map<number, JournalEntry[]>();
  for (const entry of entries) byTask.set(entry.task, [...(byTask.get(entry.task) ?? []), entry]);
  const tries = new Map(
    [...byTask.values()].flatMap((own) => numberTries(own).map((entry) => [entry.session, entry.try])),
  );
  return entries.map((entry) => ({ ...entry, try: tries.get(entry.session) ?? entry.attempt }));
}

/** `exit` is null if the exit code is unknown. */
export type CommandRun = { command: string; exit: number | null };
/** What the database knows of a session that has ended. */
export type EndedSession = {
  session: Session & { ended: number };
  task: Pick<Task, 'id' | 'title' | 'feature' | 'discipline'>;
  signals: readonly Signal[];
  gates: readonly GateResult[];
  commit: string | null;
  proof: string | null;
  given: readonly string[];
};

const MAX_SUMMARY = 1_000;
const MAX_LEARNED = 20;

export function journalEntry(
  { session, task, signals, gates, commit, proof, given }: EndedSession,
  work: WorkLog,
): JournalEntry {
  const { usage } = session;
  const closing = lastClosing(signals);
  const learned = signals.filter(isVerb('learned'));
  const failed = gates.filter(({ passed }) => !passed);
  return {
    v: JOURNAL_VERSION,
    session: session.id,
    run: session.run_id,
    task: task.id,
    title: task.title,
    feature: task.feature,
    discipline: task.discipline,
    attempt: session.token,
    started: new Date(session.started).toISOString(),
    ended: new Date(session.ended).toISOString(),
    outcome: session.outcome ?? 'interrupted',
    verb: closing?.verb ?? null,
    summary: closing === null ? null : redactedLine(signalText(closing), MAX_SUMMARY),
    errors: [
      ...failed.map((gate) => redactedLine(`gate ${gate.name}: ${firstFailure(gate)}`)),
      ...work.errors,
    ],
    decisions: learned.filter(({ kind }) => kind === 'decision').map(({ text }) => redactedLine(text)),
    files: work.written,
    read: work.read,
    commands: work.commands,
    ...usage,
    commit,
    proof,
    given,
    learned: learned.slice(0, MAX_LEARNED).map(({ text, kind, scope, rationale = null }) => ({
      category: kind,
      scope,
      body: visible(text.trim()),
      reason: rationale === null ? null : visible(rationale.trim()),
    })),
  };
}
