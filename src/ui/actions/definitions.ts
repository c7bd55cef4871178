import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type DefinitionProposal, proposalFiles, proposalName } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { defineAction } from '../action.ts';
import { text } from '../fields.ts';

/** Differs whenever the change does. */
export const seenMark = ({ session_id, changes }: DefinitionProposal): string =>
  createHash('sha256')
    .update(JSON.stringify([session_id, changes]))
    .digest('hex');

/** `seen`: of the change that the page showed. */
export const definitions = defineAction({
  name: 'definitions',
  // The files may be wrong, and this change may repair them.
  needsFiles: false,
  needsCode: true,
  input: z.strictObject({ name: text, seen: text, decision: z.enum(['approve', 'reject']) }),
  run: async (backend, { name, seen, decision }) => {
    const proposal = (await backend.definitions.pending()).find((one) => proposalName(one) === name);
    if (proposal === undefined || seenMark(proposal) !== seen)
      throw new Refusal('This change is not the one that you saw; look at it again. Nothing was changed.');
    await backend.definitions[decision](proposal);
    const files = proposalFiles(proposal);
    return { message: decision === 'approve' ? `Took over ${files}.` : `Dropped the change of ${files}.` };
  },
});
