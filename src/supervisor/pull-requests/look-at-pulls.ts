import { Refusal } from '../../domain/refusal.ts';
import type { Run } from '../run.ts';

/** A GitHub that does not answer stops no run: what it has not got yet waits for the next look. `isAll`: at the start of a run. */
export async function lookAtPulls(
  { pulls, input, tellOnce, writes }: Run,
  { isAll = false }: { isAll?: boolean } = {},
): Promise<void> {
  if (pulls === null) return;
  let isChanged = false;
  try {
    await pulls.look({
      isAll,
      isAsked: false,
      onLooked: (looked) => {
        if (looked.step === 'waits') return;
        isChanged = true;
        input.tell({ kind: 'pull', ...looked });
      },
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    tellOnce({
      kind: 'pulls_unseen',
      reason: `${error.message} Ralph looks at the pull requests again from time to time.`,
    });
  }
  if (!isChanged) return;
  await input.settled();
  writes.writeJournal();
}
