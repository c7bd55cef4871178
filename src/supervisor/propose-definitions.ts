// Changes below `.ralph` that a session made are the person's to take over: kept for them, never applied.
import type { DefinitionProposal } from '../domain/definition.ts';
import { maskValue } from '../domain/secrets/mask-secrets.ts';
import { saveProposal } from '../host/definitions/proposals.ts';
import { recordProposed } from '../queue/definitions/proposals.ts';
import type { SupervisorInput } from './input.ts';

export async function proposeDefinitions(
  { queue, stateDir }: Pick<SupervisorInput, 'queue' | 'stateDir'>,
  proposal: DefinitionProposal & { session_id: string },
): Promise<void> {
  // What was there before is compared with the person's file, so only what is new is masked.
  const changes = proposal.changes.map((change) => ({
    ...change,
    after: maskValue(change.after, queue.mask),
  }));
  await saveProposal(stateDir, { ...proposal, changes });
  await recordProposed(queue, proposal);
}
