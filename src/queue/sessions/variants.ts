import { Refusal } from '../../domain/refusal.ts';
import {
  BASE,
  type Comparison,
  compareVariants,
  type VariantSession,
} from '../../domain/sessions/variants.ts';
import { didYouMean } from '../../domain/text/did-you-mean.ts';
import type { Reader } from '../../store/database.ts';
import { sessionsWithVariant, setVariant, usedVariants } from '../../store/sessions/variants.ts';
import type { Queue } from '../queue.ts';

export const recordVariant = (queue: Queue, session_id: string, variant: string): Promise<void> =>
  queue.store.write((db) => setVariant(db, session_id, variant));

/** `defined`: the variants that have a file now. Sessions of others still count. */
export const compareByName = (
  queue: Queue,
  [one, other]: readonly [string, string],
  defined: readonly string[],
): Promise<Comparison> =>
  queue.store.read(async (db) => {
    const knownVariants = [...new Set([BASE, ...defined, ...(await usedVariants(db))])].sort();
    for (const name of [one, other])
      if (!knownVariants.includes(name))
        throw new Refusal(
          `There is no variant "${name}" of task_execution${didYouMean(name, knownVariants) || `; known: ${knownVariants.join(', ')}.`} To make it, write .ralph/recipes/task_execution.NAME.yaml.`,
        );
    if (one === other)
      throw new Refusal('Name two different variants, as in: ralph recipe compare base short');
    return compareVariants(await readSessions(db, one), await readSessions(db, other));
  });

const readSessions = async (db: Reader, variant: string): Promise<VariantSession[]> =>
  (await sessionsWithVariant(db, variant)).map(({ outcome, cost_usd, turns }) => ({
    isDone: outcome === 'done',
    cost_usd,
    turns,
  }));
