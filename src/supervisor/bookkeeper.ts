// What is written down while a session works, because nobody should wait for it: the journal, and what the session was given.
import { Refusal } from '../domain/refusal.ts';
import { giveLearnings } from '../queue/give.ts';
import { type JournalPlace, keepJournal } from './keep-journal.ts';

export type Bookkeeper = {
  began(session_id: string, learnings: readonly number[]): void;
  /** Fulfilled when it is known what the session was given: its receipt tells. */
  given(): Promise<void>;
  /** Fulfilled when all is written, or cannot be. */
  done(): Promise<void>;
};

/** By then a session is at work and the supervisor idle. Those that are over sooner are written down together: their disk would be waited for. */
const LATER_MS = 10_000;

/** A journal that cannot be written must not end a run: its lines are made up for the next time. */
export function bookkeeper(place: JournalPlace, refused: (reason: string) => void): Bookkeeper {
  let given: Promise<void> = Promise.resolve();
  let journal: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | null = null;
  const tell = (error: unknown): void =>
    refused(error instanceof Refusal ? error.message : `The journal was not written: ${String(error)}`);
  const writeJournal = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    journal = journal.then(() => keepJournal(place)).catch(tell);
  };
  return {
    began: (session_id, learnings) => {
      if (learnings.length > 0) given = giveLearnings(place.queue, session_id, learnings).catch(tell);
      timer ??= setTimeout(writeJournal, LATER_MS).unref();
    },
    given: () => given,
    done: () => {
      writeJournal();
      return journal;
    },
  };
}
