// What came of a change of a learning: one sentence, in the words of every screen.
import type { Learning } from '../domain/learnings/learning.ts';
import type { Kept } from '../queue/learnings/learn.ts';

export function toldKept(kept: Kept, { archived }: Learning): string {
  if (archived !== null)
    return `Known already: learning ${kept.id}, which is in the archive and in no prompt. Take it back: ralph learn restore ${kept.id}`;
  if (kept.as === 'confirmation') return `Known already: learning ${kept.id}, which is confirmed now.`;
  return kept.conflicts_with === null
    ? `Kept as learning ${kept.id}.`
    : `Kept as learning ${kept.id}. It is at odds with learning ${kept.conflicts_with}: both are kept, the newer one is shown first. Remove one of them: ralph learn remove ${kept.conflicts_with}`;
}

export const toldEdited = ({ id, body }: Learning): string => `Learning ${id} says now: ${body}`;
export const toldRemoved = ({ id }: Learning): string => `Learning ${id} is removed.`;
export const toldArchived = ({ id }: Learning): string =>
  `Learning ${id} is in no prompt any more; ralph learn restore takes it back.`;
export const toldRestored = ({ id }: Learning): string => `Learning ${id} may be in prompts again.`;
