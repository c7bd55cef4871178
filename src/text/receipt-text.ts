import type { Receipt } from '../domain/sessions/gate.ts';
import { costText, localTime, tokens } from '../domain/text/amounts.ts';
import { plural, visible } from '../domain/text/text.ts';
import { gateText } from './session-text.ts';
import { oneLine, shortId } from './terminal/style.ts';

/** The proof behind a done, and the command that shows its session. */
export function receiptLines(receipt: Receipt): string[] {
  const { summary, gates, model, turns, input_tokens, output_tokens, cost_usd } = receipt;
  const facts: [string, string][] = [
    ['commit', commitText(receipt)],
    ...noChangeFact(receipt),
    ['tree', receipt.tree_hash === null ? 'not known' : receipt.tree_hash.slice(0, 7)],
    ['model', model === null ? 'not known' : oneLine(model)],
    [
      'spent',
      `${plural(turns, 'turn')}, ${tokens(input_tokens)} tokens in, ${tokens(output_tokens)} out, ${costText(cost_usd)}`,
    ],
    ['when', localTime(receipt.created)],
    ['session', `${receipt.session_id}   ralph log ${shortId(receipt.session_id)}`],
  ];
  return [
    `done: ${visible(summary)}`,
    ...(gates.length === 0 ? ['no gate is configured, so none ran'] : gates.map(gateText)),
    ...facts.map(([name, value]) => `${name.padEnd(7)} ${value}`),
  ];
}

function commitText({ commit, diff_stat }: Receipt): string {
  if (commit === null) return 'none';
  if (diff_stat === null) return commit.slice(0, 7);
  const { files, insertions, deletions } = diff_stat;
  return `${commit.slice(0, 7)}, ${plural(files, 'file')}, +${insertions} -${deletions}`;
}

const noChangeFact = ({ no_change_reason }: Receipt): [string, string][] =>
  no_change_reason === null ? [] : [['change', `none: ${oneLine(no_change_reason)}`]];
