// How far the session of a task has come, in words.
import type { TaskStage } from '../../src/domain/sessions/session.ts';

const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' });
const ENDINGS: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };

const isWaiting = ({ phase, after }: TaskStage): boolean => phase === 'landing' && after.length > 0;

const ids = (after: readonly number[]): string => after.map((id) => `#${id}`).join(' ');

/** "lands 2nd": short enough for a box; null while it works. */
export function stageWord(stage: TaskStage): string | null {
  const { phase, after } = stage;
  if (!isWaiting(stage)) return phase === 'working' ? null : phase;
  const place = after.length + 1;
  return `lands ${place}${ENDINGS[ORDINALS.select(place)] ?? 'th'}`;
}

/** " in slot 1, waits to land after #3", for what follows "running". */
export function stageText(stage: TaskStage): string {
  const { slot, phase, after } = stage;
  const where = slot === null ? '' : ` in slot ${slot}`;
  if (isWaiting(stage)) return `${where}, waits to land after ${ids(after)}`;
  return phase === null || phase === 'working' ? where : `${where}, ${phase}`;
}

export function stageSentence(stage: TaskStage): string {
  const { slot, phase, after } = stage;
  const [inSlot, fromSlot] = slot === null ? ['', ''] : [` in slot ${slot}`, ` from slot ${slot}`];
  if (isWaiting(stage)) return `Its work${fromSlot} waits to land after ${ids(after)}.`;
  if (phase === 'landing') return `Its work${fromSlot} lands now.`;
  return phase === 'proving' ? `Ralph checks its work${inSlot}.` : `A session works on it${inSlot}.`;
}
