import { z } from 'zod';
import { type JournalEntry, numberEntries } from '../../domain/journal/journal.ts';
import type { NumberedTry } from '../../domain/tasks/tries.ts';
import { readJournal } from '../../project/journal/journal.ts';
import { featureDetails } from '../../queue/tasks/features.ts';
import { defineView } from '../view.ts';

const MAX_ENTRIES = 20;

export type JournalView = {
  /** Newest first. */
  entries: readonly NumberedTry<JournalEntry>[];
  left_out: number;
  problems: readonly string[];
};

export const journal = defineView({
  path: '/api/journal',
  input: z.strictObject({ feature: z.string().optional() }),
  read: async ({ queue, root }, { feature = null }): Promise<JournalView> => {
    if (feature !== null) await featureDetails(queue, feature);
    const { entries, problems } = await readJournal(root, feature);
    const shown = numberEntries(entries.map(({ entry }) => entry)).slice(-MAX_ENTRIES);
    return {
      entries: shown.reverse(),
      left_out: entries.length - shown.length,
      problems: problems.slice(0, MAX_ENTRIES),
    };
  },
});
