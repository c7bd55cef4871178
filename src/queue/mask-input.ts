// Masks what files bring in before Ralph compares it with stored, masked text. Otherwise each comparison would find a change.
import type { Definitions } from '../domain/definition.ts';
import type { JournalEntry } from '../domain/journal/journal.ts';
import { learnableProblem } from '../domain/learnings/learning.ts';
import { type Mask, maskValue } from '../domain/secrets/mask-secrets.ts';
import type { Queue } from './queue.ts';

/** Leaves disciplines as they are: Ralph starts their MCP servers with these settings. */
export const maskDefinitions = (definitions: Definitions, mask: Mask): Definitions => ({
  ...definitions,
  features: maskValue(definitions.features, mask),
  tasks: maskValue(definitions.tasks, mask),
  learnings: definitions.learnings.map((learning) => maskLearning(learning, mask)),
});

export const maskJournalEntry = (entry: JournalEntry, mask: Mask): JournalEntry => ({
  ...maskValue(entry, mask),
  learned: entry.learned.map((learning) => maskLearning(learning, mask)),
});

/** Leaves a learning with a secret as it is: Ralph refuses it later, with a sentence. */
const maskLearning = <Text extends { body: string; reason: string | null }>(
  learning: Text,
  mask: Mask,
): Text => (learnableProblem(learning.body, learning.reason) === null ? maskValue(learning, mask) : learning);

/** Tells the person that the stored text differs from the typed one. Empty if nothing was masked. */
export const maskNotice = ({ mask }: Pick<Queue, 'mask'>, input: unknown): string =>
  JSON.stringify(maskValue(input, mask)) === JSON.stringify(input)
    ? ''
    : ' Ralph masked what looked like a secret; agents find secrets in files or in the environment.';
