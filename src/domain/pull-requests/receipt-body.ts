// The text of a pull request: the receipt of the work. Words of agents and tasks stand in fences, where GitHub finds no mention of a
// person and no command that closes an issue.

import { withoutSecrets } from '../secrets/secret-text.ts';
import type { GateResult, Work } from '../sessions/gate.ts';
import type { Usage } from '../sessions/session.ts';
import type { Task } from '../tasks/task.ts';
import { costText, duration } from '../text/amounts.ts';
import { code, fence } from '../text/markdown.ts';
import { modelName, plural, truncate } from '../text/text.ts';

export type ReceiptBody = {
  task: Pick<Task, 'id' | 'title' | 'description' | 'acceptance_criteria'>;
  session_id: string;
  summary: string;
  gates: readonly GateResult[];
  /** What a second model said; null if nobody reviewed it. */
  review: { approved: boolean } | null;
  work: Pick<Work, 'tree_hash' | 'diff_stat'> & { head: string };
  usage: Usage;
};

/** GitHub takes 65,536 characters. */
const [MAX_TEXT, MAX_CRITERIA, MAX_CRITERION] = [8_000, 50, 400];

export function receiptBody(receipt: ReceiptBody): string {
  const { task, session_id, summary, gates, review, work, usage } = receipt;
  const { tree_hash, diff_stat, head } = work;
  const asked = [task.title, task.description ?? ''].filter((text) => text.trim() !== '').join('\n\n');
  const criteria = task.acceptance_criteria
    .slice(0, MAX_CRITERIA)
    .map((one) => `- ${code(truncate(withoutSecrets(one).replace(/\s+/g, ' '), MAX_CRITERION))}`);
  const size =
    diff_stat === null
      ? []
      : [`${plural(diff_stat.files, 'file')}, +${diff_stat.insertions} -${diff_stat.deletions}`];
  return [
    `An agent worked on task ${task.id}. Ralph ran the gates below in a clean checkout of this tree.`,
    `## Asked for\n\n${quoted(asked)}`,
    ...(criteria.length === 0 ? [] : [`## Acceptance criteria\n\n${criteria.join('\n')}`]),
    `## Done, in the words of the agent\n\n${quoted(summary)}`,
    `## Gates\n\n${gateTable(gates)}`,
    `## Review\n\n${reviewText(review)}`,
    `## Receipt\n\n${[
      `commit ${code(head)}`,
      ...(tree_hash === null ? [] : [`tree ${code(tree_hash)}`]),
      ...size,
      `${usage.model === null ? '' : `${modelName(usage.model)}, `}${plural(usage.turns, 'turn')}, ${costText(usage.cost_usd)}`,
    ]
      .map((item) => `- ${item}`)
      .join('\n')}`,
    `Ralph-Task: ${task.id}\nRalph-Session: ${session_id}`,
  ].join('\n\n');
}

const quoted = (text: string): string => fence(truncate(withoutSecrets(text), MAX_TEXT));

function gateTable(gates: readonly GateResult[]): string {
  if (gates.length === 0) return 'This project has no gates, so nothing but the agent vouches for the work.';
  const rows = gates.map(
    ({ name, required, passed, duration_ms, flaky = false }) =>
      `| ${cell(name)} | ${passed ? 'passed' : 'failed'}${required ? '' : ' (not required)'}${flaky ? ', at the second try' : ''} | ${duration(duration_ms)} |`,
  );
  return ['| gate | result | time |', '|---|---|---|', ...rows].join('\n');
}

/** A table cannot hold a bar, not even in a code span. */
const cell = (text: string): string => code(text.replaceAll('|', '/'));

const reviewText = (review: ReceiptBody['review']): string =>
  review === null
    ? 'No second model has read it.'
    : review.approved
      ? 'A second model has read it and approves.'
      : 'A second model could not judge it.';
