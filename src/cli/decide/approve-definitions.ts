// `ralph approve --definitions`: shows what changed below `.ralph`, and takes it over or drops it.

import { requirePerson } from '../../app/definitions/consent.ts';
import {
  approveDefinitions,
  pendingDefinitions,
  rejectDefinitions,
} from '../../app/definitions/definitions.ts';
import type { Project } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { type DefinitionProposal, proposalName, proposalText } from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { lineDiff } from '../../domain/text/line-diff.ts';
import { liveness } from '../../host/processes/process-identity.ts';
import { runningRun } from '../../queue/sessions/runs.ts';
import { definitionDiff } from '../../text/diff-text.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { Misuse } from '../command.ts';

type DefinitionChoice = { name: string | true; reject: boolean; yes: boolean };

export async function decideDefinitions(
  context: CommandContext,
  project: Project,
  { name, reject, yes }: DefinitionChoice,
): Promise<Output> {
  const pending = select(await pendingDefinitions(project), name);
  const json = pending.map((proposal) => ({
    ...proposal,
    name: proposalName(proposal),
    changes: proposal.changes.map((change) => ({ ...change, diff: lineDiff(change.before, change.after) })),
  }));
  if (pending.length === 0) return { json, text: 'No change of a definition waits for you.' };
  const { ask } = context.terminal;
  if (!yes && !reject && (ask === null || context.asJson)) return { json, text: shownText(pending, context) };
  if (reject && name === true && pending.length > 1)
    throw new Misuse(
      `Say which: ralph approve --definitions ${proposalName(pending[0] ?? { session_id: null })} --reject`,
    );
  await requirePerson(context, project, 'decides about definitions');
  // The yes to what is shown is the consent; without it, an agent must not be there to change what is approved.
  if (yes && !reject && (await runningRun(project.queue, liveness)) !== null)
    throw new Refusal('A run is at work; leave out --yes, and look at the changes before you approve them.');
  const lines: string[] = [];
  for (const proposal of pending) {
    const isApproved = !reject && (yes || (await isWanted(context, proposal)));
    if (isApproved) await approveDefinitions(project, proposal);
    else if (reject) await rejectDefinitions(project, proposal);
    lines.push(
      `${isApproved ? 'Took over' : reject ? 'Dropped' : 'Left as it is'}: ${oneLine(proposalText(proposal))}.`,
    );
  }
  return { json, text: lines.join('\n') };
}

function select(pending: readonly DefinitionProposal[], name: string | true): readonly DefinitionProposal[] {
  if (name === true) return pending;
  const found = pending.filter((one) => name.length >= 4 && (one.session_id ?? 'checkout').startsWith(name));
  if (found.length === 1) return found;
  const names = pending.map(proposalName);
  throw new Refusal(
    `No change of a definition waits under "${name}"${names.length === 0 ? '.' : `; there are ${names.join(', ')}.`}`,
  );
}

async function isWanted(context: CommandContext, proposal: DefinitionProposal): Promise<boolean> {
  const { ask } = context.terminal;
  if (ask === null) return false;
  return /^y(es)?$/i.test((await ask(`${proposalShown(proposal, context)}\nTake it over? [y/N] `)).trim());
}

const shownText = (pending: readonly DefinitionProposal[], context: CommandContext): string =>
  [
    ...pending.map((proposal) => proposalShown(proposal, context)),
    'Decide on a terminal with ralph approve --definitions, or with --yes or --reject while no run is at work.',
  ].join('\n\n');

function proposalShown(proposal: DefinitionProposal, { terminal: { color } }: CommandContext): string {
  const diffs = proposal.changes.map(({ path, before, after }) =>
    definitionDiff(path, lineDiff(before, after), color),
  );
  return [`${proposalName(proposal)}: ${oneLine(proposalText(proposal))}`, ...diffs].join('\n');
}
