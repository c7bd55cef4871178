// What is written down beside the sessions: the journal, and what a session was given.
import { Refusal } from '../domain/refusal.ts';
import { giveLearnings } from '../queue/learnings/given.ts';
import { type JournalPlace, keepJournal } from './keep-journal.ts';

export type Bookkeeper = {
  began(session_id: string, learnings: readonly number[]): void;
  /** Fulfilled when it is known what the session was given: its receipt tells. */
  given(): Promise<void>;
  /** Begins to write the lines that are missing; other work goes on meanwhile. */
  writeJournal(): void;
  /** Fulfilled when the journal has a line of every session that has ended, or cannot be written. */
  written(): Promise<void>;
};

/** A journal that cannot be written must not end a run: its lines are made up for the next time. */
export function bookkeeper(place: JournalPlace, refused: (reason: string) => void): Bookkeeper {
  let given: Promise<void> = Promise.resolve();
  let journal: Promise<void> = Promise.resolve();
  const tell = (error: unknown): void =>
    refused(error instanceof Refusal ? error.message : `The journal was not written: ${String(error)}`);
  return {
    began: (session_id, learnings) => {
      if (learnings.length > 0) given = giveLearnings(place.queue, session_id, learnings).catch(tell);
    },
    given: () => given,
    writeJournal: () => {
      journal = journal.then(() => keepJournal(place)).catch(tell);
    },
    written: () => journal,
  };
}
