import type { Reader, Writer } from '../database.ts';

export async function setVariant(db: Writer, session_id: string, variant: string): Promise<void> {
  await db.updateTable('sessions').set({ variant }).where('id', '=', session_id).execute();
}

/** The variants that any session got. */
export async function usedVariants(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('sessions')
    .select('variant')
    .distinct()
    .where('variant', 'is not', null)
    .orderBy('variant')
    .execute();
  return rows.flatMap(({ variant }) => variant ?? []);
}

/** Sessions that ended and whose outcome tells something about their prompt. */
export const sessionsWithVariant = (
  db: Reader,
  variant: string,
): Promise<{ outcome: string | null; cost_usd: number; turns: number }[]> =>
  db
    .selectFrom('sessions')
    .select(['outcome', 'cost_usd', 'turns'])
    .where('variant', '=', variant)
    .where('ended', 'is not', null)
    .where('outcome', 'not in', ['interrupted', 'conflict'])
    .orderBy('started')
    .orderBy('id')
    .execute();
