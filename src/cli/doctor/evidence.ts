// Does what is done stand on proof, and is that proof as Ralph wrote it?
import type { Project } from '../../app/open-project.ts';
import { Refusal } from '../../domain/refusal.ts';
import { brokenText, unprovenText } from '../../domain/sessions/evidence.ts';
import { plural } from '../../domain/text/text.ts';
import { readJournal } from '../../project/journal/journal.ts';
import { findBrokenAnchors, verifyEvidence } from '../../queue/sessions/verify-evidence.ts';

export async function checkEvidence({ queue, root }: Project): Promise<string> {
  const { unproven, broken, end } = await verifyEvidence(queue);
  const [first] = [...broken, ...(await findBrokenAnchors(queue, await readAnchors(root)))];
  const parts = [
    ...(first === undefined ? [] : [`${brokenText(first)}; see ralph show ${first.task_id}.`]),
    ...(unproven.length === 0 ? [] : [unprovenText(unproven)]),
  ];
  if (parts.length > 0) throw new Refusal(parts.join(' '));
  return `${plural(end.id, 'row')}, as Ralph wrote ${end.id === 1 ? 'it' : 'them'}`;
}

/** By session: the hash of its receipt, as its line in the journal has it. */
async function readAnchors(root: string): Promise<Map<string, string>> {
  const { entries } = await readJournal(root);
  return new Map(
    entries.flatMap(({ entry: { session, proof } }) => (proof === null ? [] : [[session, proof] as const])),
  );
}
