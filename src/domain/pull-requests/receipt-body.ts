// The title and text of a pull request: the receipt of each task. Words of agents and tasks stand in fences, where GitHub finds no mention of a
// person and no command that closes an issue.

import { withoutSecrets } from '../secrets/secret-text.ts';
import type { GateResult, Work } from '../sessions/gate.ts';
import type { Usage } from '../sessions/session.ts';
import type { Task } from '../tasks/task.ts';
import { costText, duration } from '../text/amounts.ts';
import { code, fence } from '../text/markdown.ts';
import { modelName, plural, singleLine, truncate, visible } from '../text/text.ts';
import { withoutClosing } from './without-closing.ts';

/** What one task added. */
export type Receipt = {
  task: Pick<Task, 'id' | 'title' | 'description' | 'acceptance_criteria'>;
  session_id: string;
  summary: string;
  gates: readonly GateResult[];
  /** What a second model said; null without a review. */
  review: { approved: boolean } | null;
  work: Pick<Work, 'tree_hash' | 'diff_stat'> & { head: string };
  usage: Usage;
};

export type PullText = {
  /** `open`: its tasks that are neither here nor settled. Null for the pull request of one task. */
  feature: { title: string; open: readonly number[] } | null;
  /** In the order of the pushes. */
  receipts: readonly Receipt[];
};

const MAX_TITLE = 250;

export function pullTitle({ feature, receipts }: PullText): string {
  const title = feature?.title ?? receipts[0]?.task.title ?? '';
  return truncate(withoutClosing(singleLine(visible(withoutSecrets(title)))), MAX_TITLE);
}

/** GitHub takes 65,536 characters. */
const MAX_BODY = 60_000;

/** How long texts of people and agents may be: as long as fits. */
const [LONG, ...SHORTER] = [
  { text: 8_000, criteria: 50, criterion: 400 },
  { text: 1_500, criteria: 20, criterion: 200 },
  { text: 300, criteria: 0, criterion: 0 },
] as const;

type Lengths = { text: number; criteria: number; criterion: number };

export function pullBody(pull: PullText): string {
  const fitting = [LONG, ...SHORTER]
    .map((lengths) => body(pull, lengths))
    .find((text) => text.length <= MAX_BODY);
  return fitting ?? [featureText(pull), trailers(pull)].join('\n\n').slice(0, MAX_BODY);
}

const body = (pull: PullText, lengths: Lengths): string =>
  [
    ...(pull.feature === null ? [] : [featureText(pull)]),
    ...pull.receipts.map((receipt) => receiptText(receipt, lengths, pull.feature === null)),
    trailers(pull),
  ].join('\n\n');

function featureText(pull: PullText): string {
  const { feature, receipts } = pull;
  const open = feature?.open ?? [];
  const rest =
    open.length === 0
      ? 'When Ralph pushed last, no task of it was left.'
      : `When Ralph pushed last, ${plural(open.length, 'task')} of it ${open.length === 1 ? 'was' : 'were'} still open: ${open.slice(0, MAX_NAMED).join(', ')}${open.length > MAX_NAMED ? ' and more' : ''}.`;
  return `This holds ${plural(receipts.length, 'task')} of the feature ${code(pullTitle(pull))}. ${rest}`;
}

const MAX_NAMED = 20;

const trailers = ({ receipts }: PullText): string =>
  receipts.map(({ task, session_id }) => `Ralph-Task: ${task.id}\nRalph-Session: ${session_id}`).join('\n');

function receiptText(receipt: Receipt, lengths: Lengths, isOnly: boolean): string {
  const { task, summary, gates, review, work, usage } = receipt;
  const { tree_hash, diff_stat, head } = work;
  const level = isOnly ? '##' : '###';
  const quoted = (text: string): string => fence(truncate(withoutSecrets(text), lengths.text));
  const asked = [task.title, task.description ?? ''].filter((text) => text.trim() !== '').join('\n\n');
  const criteria = task.acceptance_criteria
    .slice(0, lengths.criteria)
    .map((one) => `- ${code(truncate(withoutSecrets(one).replace(/\s+/g, ' '), lengths.criterion))}`);
  const size =
    diff_stat === null
      ? []
      : [`${plural(diff_stat.files, 'file')}, +${diff_stat.insertions} -${diff_stat.deletions}`];
  return [
    ...(isOnly ? [] : [`## Task ${task.id}`]),
    `An agent worked on task ${task.id}. Ralph ran the gates below in a clean checkout of this tree.`,
    `${level} Asked for\n\n${quoted(asked)}`,
    ...(criteria.length === 0 ? [] : [`${level} Acceptance criteria\n\n${criteria.join('\n')}`]),
    `${level} Done, in the words of the agent\n\n${quoted(summary)}`,
    `${level} Gates\n\n${gateTable(gates)}`,
    `${level} Review\n\n${reviewText(review)}`,
    `${level} Receipt\n\n${[
      `commit ${code(head)}`,
      ...(tree_hash === null ? [] : [`tree ${code(tree_hash)}`]),
      ...size,
      `${usage.model === null ? '' : `${modelName(usage.model)}, `}${plural(usage.turns, 'turn')}, ${costText(usage.cost_usd)}`,
    ]
      .map((item) => `- ${item}`)
      .join('\n')}`,
  ].join('\n\n');
}

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

const reviewText = (review: Receipt['review']): string =>
  review === null
    ? 'No second model has read it.'
    : review.approved
      ? 'A second model has read it and approves.'
      : 'A second model could not judge it.';
