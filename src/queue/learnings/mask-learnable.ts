// Masks what files bring in, before it is compared with what is stored masked: otherwise each look would find a change.
import type { Definitions } from '../../domain/definition.ts';
import type { JournalEntry } from '../../domain/journal/journal.ts';
import { learnableProblem } from '../../domain/learnings/learning.ts';
import { type Mask, maskValue } from '../../domain/secrets/mask-secrets.ts';
import type { Queue } from '../queue.ts';

/** Not so disciplines: their servers are started with what they say. */
export const maskedDefinitions = (definitions: Definitions, mask: Mask): Definitions => ({
  ...definitions,
  features: maskValue(definitions.features, mask),
  tasks: maskValue(definitions.tasks, mask),
  learnings: definitions.learnings.map((learning) => maskedLearning(learning, mask)),
});

export const maskedEntry = (entry: JournalEntry, mask: Mask): JournalEntry => ({
  ...maskValue(entry, mask),
  learned: entry.learned.map((learning) => maskedLearning(learning, mask)),
});

/** A learning that holds a secret stays as it is: it is refused with a sentence. */
const maskedLearning = <Said extends { body: string; reason: string | null }>(
  said: Said,
  mask: Mask,
): Said => (learnableProblem(said.body, said.reason) === null ? maskValue(said, mask) : said);

/** For whoever typed a secret: what is stored is not what they typed. Empty where nothing was masked. */
export const maskedNote = ({ mask }: Pick<Queue, 'mask'>, given: unknown): string =>
  JSON.stringify(maskValue(given, mask)) === JSON.stringify(given)
    ? ''
    : ' What looked like a secret was masked; agents find secrets in files or in the environment.';
