// Tells the agent of a task what became of the work of its earlier sessions.
import type { GateResult } from '../../domain/sessions/gate.ts';
import { toStorable } from '../../domain/text/text.ts';
import type { Place } from '../../host/git/own-git.ts';
import { workRef } from '../../host/git/refs.ts';
import type { OpenedCheckout } from '../../host/in-place/open-session.ts';
import { commitsBetween } from '../../host/landing/merge.ts';

/** Null if the agent finds it in its files, as it left it. */
export async function earlierWorkText(
  place: Place,
  task_id: number,
  base: string,
  earlier: OpenedCheckout['earlier'],
): Promise<string | null> {
  if (earlier.kind === 'left')
    return `Your earlier work on this task is not in the files: they changed since. ralph diff ${task_id} shows it, and ${workRef(task_id)} holds it.`;
  if (earlier.kind !== 'conflicts') return null;
  const others = await commitsBetween(place, earlier.work, base, earlier.paths);
  return conflictText(earlier.paths, others);
}

export function conflictText(
  paths: readonly string[],
  others: readonly { commit: string; subject: string }[],
): string {
  const whose = others.map(({ commit, subject }) => `${commit.slice(0, 7)} (${subject})`).join(', ');
  return `Your earlier work was merged with newer work${whose === '' ? '' : ` by ${whose}`}. These files have conflict markers, with both versions: ${paths.join(', ')}. Resolve them first, and keep what both sides wanted.`;
}

export const setUpText = ({ command, tail }: Pick<GateResult, 'command' | 'tail'>): string =>
  toStorable(
    `The setup of your slot (${command}) fails with your earlier work, so Ralph ran it without that work. What it has made may lack what your files need. Mend them first: no gate runs, and nothing lands, before the setup passes with them. It said:\n${tail}`,
  );
