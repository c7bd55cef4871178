// Takes in what a person committed beside landed work, also if this run lands nothing: otherwise their branch waits for ever.
import { join } from 'node:path';
import { advanceTrunk } from '../../host/landing/trunk.ts';
import { mergePersonsCommits } from '../../host/persons-branch/persons-commits.ts';
import { catchHindrance } from '../../queue/sessions/finish.ts';
import type { SlotRun } from './slot-run.ts';

/** Throws if they conflict, or if a gate is red with both: a session would be paid for work that cannot land. */
export async function takePersonsCommits(run: SlotRun): Promise<void> {
  const { repository, hastyTrunk: trunk, gateGround, gates, findUntrusted, input, train } = run;
  if ((await advanceTrunk(repository, trunk)).kind !== 'diverged') return;
  // As a landing does: another process may be taking them in, and the gates of one of both would run for nothing.
  const turn = `merge-${crypto.randomUUID()}`;
  try {
    await train.enter(turn, 0);
    await mergePersonsCommits(repository, trunk, await advanceTrunk(repository, trunk), {
      ground: gateGround,
      config: { gates },
      folder: join(repository.stateDir, 'merge'),
      stop: input.stop.now,
      accepted: input.baseline.accepted,
      onUnsigned: (reason) => input.tell({ kind: 'unsigned', reason }),
      findUntrusted,
    });
  } finally {
    train.leave(turn);
  }
}

/** At the end of a run, a person hears why they could not be taken in. A person who stops the run does not wait for gates. */
export async function takeLateCommits(run: SlotRun): Promise<void> {
  const { stop, tell } = run.input;
  if (stop.after.aborted || stop.now.aborted) return;
  const hindrance = await catchHindrance(() => takePersonsCommits(run));
  if (hindrance === null) return;
  tell({
    kind: 'refused',
    reason: hindrance.kind === 'needs_person' ? hindrance.question : hindrance.reason,
  });
}
