// The summary of a run: why it ended, what needs the person and what to type, what was done, what it cost. Pure.
import { type DefinitionProposal, proposalName, proposalText } from '../../domain/definition.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { type Flag, flagText, isOpenBlocker } from '../../domain/tasks/flag.ts';
import type { Question } from '../../domain/tasks/task.ts';
import { triesText } from '../../domain/tasks/tries.ts';
import { duration, money, moneyIfKnown, tokens } from '../../domain/text/amounts.ts';
import { plural } from '../../domain/text/text.ts';
import type { FailedTask, Needs } from '../../queue/tasks/needs.ts';
import type { QueueStatus } from '../../queue/tasks/status.ts';
import type { Stop } from '../../supervisor/stop.ts';
import { type Look, type Row, row, wrapItems } from '../terminal/row.ts';
import { oneLine, paint } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';
import { waitingCommits } from './landing-words.ts';
import type { RunState, Tally } from './run-state.ts';

/** Items of each kind; the rest is counted. */
export const MAX_SHOWN = 10;

export type Ended = {
  state: RunState;
  stop: Stop;
  now: number;
  queue: Pick<QueueStatus, 'counts' | 'ready' | 'questions' | 'flags' | 'more_flags'>;
  needs: Needs;
  learned: number;
  /** Changes below .ralph that wait for the person. */
  definitions: readonly DefinitionProposal[];
};

export function summary(ended: Ended, look: Look): string {
  const parts = [
    [...reasonLines(ended, look), ...countLines(ended, look)],
    section('NEEDS YOU', needLines(ended, look), look),
    section('FOR LATER', laterLines(ended, look), look),
    doneLines(ended.state, look),
    [...parallelLines(ended.state, look), ...costLines(ended, look)],
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

const section = (title: string, lines: readonly string[], look: Look): string[] =>
  lines.length === 0 ? [] : [paint(title, 'bold', look.color), ...lines];

function reasonLines({ stop, state, now }: Ended, look: Look): string[] {
  const word = stop.reason === 'finished' ? 'Finished' : 'Stopped';
  const text = `${word} after ${duration(now - state.started)}: ${oneLine(stop.sentence)}`;
  const lines = wrap(`  ${text}`, look.columns).trimStart().split('\n');
  return lines.map((line) => paint(line, 'bold', look.color));
}

const BAR_COLUMNS = 16;

function countLines({ queue: { counts, ready } }: Ended, look: Look): string[] {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total === 0) return [];
  const share = (counts.done + counts.skipped) / total;
  const filled = Math.floor(share * BAR_COLUMNS);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(BAR_COLUMNS - filled)}] ${Math.floor(share * 100)}%`;
  const items: [number, string][] = [
    [counts.failed, 'failed'],
    [counts.needs_input, 'asking'],
    [counts.blocked, 'blocked'],
    [ready, 'ready'],
    [counts.pending - ready, 'waiting'],
    [counts.in_progress, 'running'],
    [counts.draft, counts.draft === 1 ? 'draft' : 'drafts'],
    [counts.skipped, 'skipped'],
  ];
  const shown = items.flatMap(([count, word]) => (count > 0 ? [{ text: `${count} ${word}` }] : []));
  const spans = [{ text: `${counts.done} done` }, ...shown, { text: `of ${total}` }, { text: bar }];
  return wrapItems('  ', spans, look);
}

function needLines({ state, stop, queue, needs, definitions }: Ended, look: Look): string[] {
  const { counts } = queue;
  const questions = queue.questions.filter(({ blocking }) => blocking);
  return [
    ...checkoutLines(state, look),
    ...agentLines(state, stop, look),
    ...draw(look, [
      ...definitions
        .slice(0, MAX_SHOWN)
        .map((proposal) =>
          need(
            `~ ${oneLine(proposalText(proposal))}`,
            `ralph approve --definitions ${proposalName(proposal)}`,
          ),
        ),
      ...more(definitions.length - MAX_SHOWN, 'proposed', 'ralph approve --definitions'),
      ...needs.failed.flatMap(failedRows),
      ...more(counts.failed - needs.failed.length, 'failed', 'ralph list --status failed'),
      ...questions.slice(0, MAX_SHOWN).map(questionRow),
      ...more(questions.length - MAX_SHOWN, 'open', 'ralph status'),
      ...flagRows(queue.flags.filter(isOpenBlocker)),
      ...needs.blocked.map(({ id, title, blocked_by }) =>
        need(
          `■ #${id} ${oneLine(title)}   blocked${blocked_by === null ? '' : `: ${oneLine(blocked_by)}`}`,
          `ralph why ${id}`,
        ),
      ),
      ...more(counts.blocked - needs.blocked.length, 'blocked', 'ralph list --status blocked'),
      ...needs.drafts.map(({ id, title }) =>
        need(`~ #${id} ${oneLine(title)}   draft`, `ralph approve ${id}`),
      ),
      ...more(counts.draft - needs.drafts.length, 'drafts', 'ralph list --status draft'),
    ]),
  ];
}

/** First: until then the person sees nothing of what landed. */
function checkoutLines({ checkout }: RunState, look: Look): string[] {
  if (checkout === null) return [];
  const reason = wrap(`       ${oneLine(checkout.reason)}`, look.columns);
  return [row(need(`! ${waitingCommits(checkout)}`, 'ralph land'), look), ...reason.split('\n')];
}

/** Agents that a person has to mend, except the agent of the first sentence. */
const agentLines = ({ parked }: RunState, stop: Stop, look: Look): string[] =>
  [...parked.values()].flatMap(({ sentence }) =>
    sentence === null || sentence === stop.sentence
      ? []
      : wrap(`    ⏸ ${oneLine(sentence)}`, look.columns)
          .replace(/^ {4}/, '  ')
          .split('\n'),
  );

/** Nothing where the sessions came one after another. */
function parallelLines({ parallel }: RunState, look: Look): string[] {
  const { peak, sessions_ms, wall_ms, gate_runs, landed, conflicts, red_merges } = parallel;
  if (peak < 2) return [];
  const gain = wall_ms > 0 ? ` (${(sessions_ms / wall_ms).toFixed(1)} times as fast)` : '';
  const spans = [
    `up to ${peak} sessions at once, ${duration(wall_ms)} instead of ${duration(sessions_ms)}${gain}`,
    ...(landed > 0 ? [`${(gate_runs / landed).toFixed(1)} gate runs per landed task`] : []),
    plural(conflicts, 'conflict'),
    ...(red_merges > 0 ? [plural(red_merges, 'red merge')] : []),
  ];
  return wrapItems(
    'Speed   ',
    spans.map((text) => ({ text })),
    look,
  );
}

/** What no task waits for; it is listed until the person settles it. */
function laterLines({ queue: { questions, flags, more_flags } }: Ended, look: Look): string[] {
  const passing = questions.filter(({ blocking }) => !blocking);
  return draw(look, [
    ...passing.slice(0, MAX_SHOWN).map(questionRow),
    ...more(passing.length - MAX_SHOWN, 'open', 'ralph status'),
    ...flagRows(
      flags.filter((flag) => !isOpenBlocker(flag)),
      more_flags,
    ),
  ]);
}

const draw = (look: Look, rows: readonly Row[]): string[] => rows.map((one) => row(one, look));

/** `beyond`: how many more there are than those given. */
const flagRows = (flags: readonly Flag[], beyond = 0): Row[] => [
  ...flags
    .slice(0, MAX_SHOWN)
    .map((flag) =>
      need(`! F${flag.id} #${flag.task_id}: ${oneLine(flagText(flag))}`, `ralph flag close ${flag.id}`),
    ),
  ...more(Math.max(0, flags.length - MAX_SHOWN) + beyond, 'flagged', 'ralph flag list'),
];

const need = (text: string, command: string): Row => ({
  head: { text: `  ${text}` },
  end: { text: command },
});

const more = (count: number, word: string, command: string): Row[] =>
  count > 0 ? [need(`${count} more ${word}`, command)] : [];

const questionRow = ({ id, task_id, question, options, preferred }: Question): Row =>
  need(
    `? Q${id} #${task_id}: ${oneLine(question)}`,
    `ralph answer ${id} "${suggestedAnswer(preferred ?? options[0])}"`,
  );

/** An option to type as it is, if the agent offered one that is safe in a shell. */
const suggestedAnswer = (text: string | undefined): string =>
  text !== undefined && /^[\p{L}\p{N} .,:/+-]{1,24}$/u.test(text) ? text : '...';

function failedRows(task: FailedTask): Row[] {
  const { id, title, tries, gate, last_comment: said, holds_back } = task;
  const how = `failed after ${triesText(tries)}${gate === null ? '' : `, at gate ${oneLine(gate.name)}`}`;
  const why = oneLine(gate === null ? firstLine(said ?? 'It said nothing.') : firstFailure(gate));
  const commands = `ralph show ${id} | ralph retry ${id}`;
  const head = { text: `  ✗ #${id} ${oneLine(title)}`, format: 'red' as const };
  const first = { head, facts: [{ text: how }] };
  if (holds_back.length === 0) return [first, need(`     ${why}`, commands)];
  return [first, { head: { text: `       ${why}` } }, need(`     ${heldBackText(holds_back)}`, commands)];
}

function heldBackText(ids: readonly number[]): string {
  const named = ids.slice(0, 5).map((id) => `#${id}`);
  return `holds back ${ids.length} (${named.join(' ')}${ids.length > named.length ? ' ...' : ''})`;
}

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

function doneLines({ tallies }: RunState, look: Look): string[] {
  const done = [...tallies.values()].filter(({ proof }) => proof !== null);
  if (done.length === 0) return [];
  const shown = done.length > MAX_SHOWN + 1 ? done.slice(0, MAX_SHOWN) : done;
  const rest = done.slice(shown.length);
  const title = (text: string): Row => doneRow(text, ['tries', 'time', 'cost', 'gates', 'commit'], look);
  const heading = title('DONE THIS RUN');
  return [
    row({ ...heading, head: { ...heading.head, format: 'bold' } }, look),
    ...shown.map((tally) => row(tallyRow(`  ✓ #${tally.id} ${oneLine(tally.title)}`, [tally], look), look)),
    ...(rest.length === 0 ? [] : [row(tallyRow(`  ✓ ${rest.length} more`, rest, look), look)]),
  ];
}

function tallyRow(text: string, tallies: readonly Tally[], look: Look): Row {
  const sum = (read: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + read(tally), 0);
  const gates = sum(({ proof }) => proof?.gates ?? 0);
  const [only, ...others] = tallies;
  const commit = others.length === 0 ? (only?.proof?.commit?.slice(0, 7) ?? '-') : '';
  return doneRow(
    text,
    [
      String(sum(({ tries }) => tries)),
      duration(sum(({ duration_ms }) => duration_ms)),
      moneyIfKnown(sum(({ cost_usd }) => cost_usd)),
      gates === 0 ? '-' : `${sum(({ proof }) => proof?.passed ?? 0)}/${gates}`,
      commit,
    ],
    look,
  );
}

const COLUMN_SIZES = [5, 6, 6, 5, 7];
const FACTS_COLUMNS = COLUMN_SIZES.reduce((sum, size) => sum + size + 2, 0);

function doneRow(text: string, cells: readonly string[], { columns }: Look): Row {
  const room = columns === Number.POSITIVE_INFINITY ? 40 : columns - FACTS_COLUMNS;
  return {
    head: { text, size: Math.min(60, Math.max(16, room)) },
    facts: cells.map((cell, index) => ({
      text: cell,
      size: COLUMN_SIZES[index] ?? 0,
      rank: [3, 2, 1, 4, 0][index] ?? 0,
      ...(index < 4 && { align: 'right' as const }),
    })),
  };
}

function costLines({ state: { total, budget_usd, run_id }, learned }: Ended, look: Look): string[] {
  const spent = total.cost_usd > 0 ? `${money(total.cost_usd)} of ${money(budget_usd)}` : 'not reported';
  const flow =
    total.input_tokens + total.output_tokens > 0
      ? `   ${tokens(total.input_tokens)} tokens in, ${tokens(total.output_tokens)} out`
      : '';
  const cost = total.sessions === 0 ? [] : [`Cost    ${spent}${flow}`];
  const news =
    learned === 0
      ? []
      : [
          row(
            { head: { text: `Learned ${learned} new` }, end: { text: `ralph learn list --run ${run_id}` } },
            look,
          ),
        ];
  return [...cost.map((text) => row({ head: { text } }, look)), ...news];
}
