// One line a session, kept in git beside the definitions: what a later reader, or a database that has to be rebuilt, needs of it.
import type { Learning } from '../learnings/learning.ts';

export const JOURNAL_VERSION = 1;

export type JournalEntry = {
  v: typeof JOURNAL_VERSION;
  session: string;
  run: number;
  task: number;
  title: string;
  feature: string | null;
  discipline: string | null;
  attempt: number;
  started: string;
  ended: string;
  outcome: string;
  verb: string | null;
  summary: string | null;
  errors: readonly string[];
  decisions: readonly string[];
  /** What it wrote, and what it only read. */
  files: readonly string[];
  read: readonly string[];
  commands: readonly Ran[];
  model: string | null;
  turns: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  commit: string | null;
  /** Learnings by the hash of what they say: numbers are another database's. */
  given: readonly string[];
  learned: readonly Pick<Learning, 'category' | 'scope' | 'body' | 'reason'>[];
};

/** Null where nobody knows how it ended. */
export type Ran = { command: string; exit: number | null };
