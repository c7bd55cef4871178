import { gateChangesText, unsignedText } from '../../domain/sessions/commit-message.ts';
import { flakyText, type GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { faultWords, leftElsewhereText } from '../../domain/sessions/session.ts';
import type { Decision } from '../../domain/sessions/settle.ts';
import { flagText } from '../../domain/tasks/flag.ts';
import { stateName } from '../../domain/tasks/status-word.ts';
import { nextTry, triesText } from '../../domain/tasks/tries.ts';
import { duration, localTime, money, moneyIfKnown, wallTime } from '../../domain/text/amounts.ts';
import { plural } from '../../domain/text/text.ts';
import { trustNoticeText } from '../../domain/trust.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { SupervisorEvent } from '../../supervisor/input.ts';
import { pullLine } from '../pull-text.ts';
import { type Look, row } from '../terminal/row.ts';
import { type Format, oneLine } from '../terminal/style.ts';
import { notLandedText, phaseText, slotLine, waitingCommits } from './landing-words.ts';
import { isParallel, type RunState, refutingGate } from './run-state.ts';

export function headerLine({ project, started, budget_usd }: RunState, tasks: number, look: Look): string {
  const text = `ralph run  ${oneLine(project)}  ${plural(tasks, 'task')}  budget ${money(budget_usd)}`;
  return row(
    { head: { text, format: 'bold' }, end: { text: `started ${wallTime(started)}`, format: 'dim' } },
    look,
  );
}

/** `state`: after the event. */
export function eventLines(event: SupervisorEvent, state: RunState, look: Look): string[] {
  const dim = (text: string): string[] => [row({ head: { text, format: 'dim' } }, look)];
  // With one job the line stands below that of its task.
  const about = (claim: Claim | null): string =>
    claim !== null && isParallel(state) ? `#${claim.task.id} ` : '';
  const warning = (text: string): string[] => [
    row({ head: { text: `! ${oneLine(text)}`, format: 'yellow' } }, look),
  ];
  switch (event.kind) {
    case 'recovered': {
      const { session, decision } = event.recovered;
      return dim(
        `↺ #${session.task_id} of a run that died is ${stateName(decision.status)} (${decision.outcome})`,
      );
    }
    case 'left_elsewhere':
      return warning(leftElsewhereText(event.session));
    case 'started': {
      const { id, title } = event.claim.task;
      const { number, most } = nextTry(event.claim.task, event.claim.tries, state.max_attempts);
      return dim(`▶ #${id} ${oneLine(title)}  try ${number}/${most}  ${oneLine(event.model)}`);
    }
    case 'feature_committed':
      return dim(
        `  the feature ${oneLine(event.title)} is finished and recorded in commit ${event.commit.slice(0, 7)}`,
      );
    case 'refused':
      return warning(`${event.reason} What was there before stays.`);
    case 'without_git':
      return warning(
        'this project is not in git: Ralph cannot commit, keep unfinished work apart, or notice a done without a change',
      );
    case 'without_cost':
      return warning(
        `${event.agent} does not tell what it costs: no budget in dollars holds for it, but the limits of ${event.max_turns} turns and of time do`,
      );
    case 'without_gates':
      return warning('there is no gate, so every done is believed; add one to .ralph/config.yaml');
    case 'sandbox':
    case 'fleet':
      return warning(event.text);
    case 'one_at_a_time':
      return warning(
        `this run works in your checkout, so one session runs at a time instead of ${event.jobs}`,
      );
    case 'gate': {
      const { name, number, of, ended } = event.step;
      if (ended === null) return [];
      const how = ended.passed ? '' : ' failed';
      const when = event.phase === 'before' ? 'before starting, ' : '';
      const result = `gates ${number}/${of}: ${oneLine(name)}${how}, ${duration(ended.duration_ms)}`;
      return dim(`  ${about(event.claim)}${when}${result}`);
    }
    case 'red_baseline':
      return event.gates.flatMap((gate) => redLines(gate, look));
    case 'red_before': {
      const { id } = event.claim.task;
      return event.gates.flatMap((gate) =>
        warning(`gate ${gate.name} failed before #${id} began: ${firstFailure(gate)}`),
      );
    }
    case 'not_believed':
      return warning(`${about(event.claim)}not believed: ${event.why}`);
    case 'put_back':
      return warning(`#${event.claim.task.id} removed ${event.files.join(', ')}; Ralph restored it`);
    case 'excludes_restored':
      return warning(
        `.git/info/exclude changed while #${event.claim.task.id} ran; Ralph restored it and kept the changed one as .git/info/exclude.changed`,
      );
    case 'state_restored':
      return warning(
        `#${event.claim.task.id} removed Ralph's state; the queue was restored, logs of earlier sessions and refs/ralph/ are lost`,
      );
    case 'rules_changed':
      return warning(
        `.ralph/config.yaml changed while #${event.claim.task.id} ran; this run uses the earlier version`,
      );
    case 'gate_changed_files':
      return warning(gateChangesText(event));
    case 'unsigned':
      return warning(unsignedText(event.reason));
    case 'reviewing':
      return dim(`  review of #${event.task_id}  ${oneLine(event.model)}`);
    case 'parked':
      return [row({ head: { text: parkedText(event), format: 'yellow' } }, look)];
    case 'waiting':
      return [row({ head: { text: waitingText(event), format: 'yellow' } }, look)];
    case 'phase':
      return isParallel(state) && event.phase !== 'working' ? dim(`  ${phaseText(event)}`) : [];
    case 'not_landed':
      return warning(notLandedText(event));
    case 'checkout_followed': {
      const { branch, commit, commits } = event;
      // With one job the line of the finished task names its commit; several at once had been waiting.
      if (!isParallel(state) && commits === 1) return [];
      return dim(`  ${oneLine(branch)} is at ${commit.slice(0, 7)} (${plural(commits, 'new commit')})`);
    }
    case 'pull':
      return dim(`  ${pullLine(event)}`);
    case 'pulls_unseen':
      return warning(event.reason);
    case 'checkout_waits':
      return warning(`${waitingCommits(event)}: ${event.reason}`);
    case 'slot': {
      const line = slotLine(event, isParallel(state));
      if (line === null) return [];
      return event.step === 'repaired' ? warning(line) : dim(`  ${line}`);
    }
    case 'flaky_gate': {
      const { claim, gate: name, red, runs } = event;
      return warning(`${about(claim)}${flakyText({ name, red, runs })}`);
    }
    case 'definitions_changed':
      return warning(
        `#${event.claim.task.id} changed ${event.files.join(', ')} in its slot; Ralph did not take that over: ralph approve --definitions shows it`,
      );
    case 'definitions_held':
      return warning(
        `${event.files.join(', ')} changed while agents were at work; it counts once you approve it: ralph approve --definitions`,
      );
    case 'definitions_accepted':
      return warning(
        `${event.files.join(', ')} counts from now on as a command beside this run approved it; if that was not you, an agent did it: stop the run and look at the file`,
      );
    case 'trusted_meanwhile':
      return warning(trustNoticeText(event, localTime(event.at)));
    case 'observed':
    case 'checking':
      return [];
    case 'finished':
      return finishedLines(event, state, look);
  }
}

const waitingText = ({ until, fault, agent }: Extract<SupervisorEvent, { kind: 'waiting' }>): string =>
  fault === null
    ? `⏸ no task may start before ${localTime(until)}`
    : `⏸ ${agentPrefix(agent)}${faultWords(fault)}; trying again at ${localTime(until)}`;

const parkedText = ({ until, fault, agent }: Extract<SupervisorEvent, { kind: 'parked' }>): string =>
  `⏸ ${agentPrefix(agent)}${faultWords(fault)}; ${until === null ? 'this run does not try it again' : `trying again at ${localTime(until)}`}; other agents go on`;

const agentPrefix = (agent: string | null): string =>
  agent === null || agent === '' ? '' : `${oneLine(agent)}: `;

/** Test runners report at the end of their output. */
const OUTPUT_LINES = 12;

function redLines(gate: GateResult, look: Look): string[] {
  const rows = gate.tail === '' ? [] : gate.tail.split('\n');
  const shown = rows.slice(-OUTPUT_LINES);
  const where = gate.log === null || rows.length <= shown.length ? [] : [`... full output: ${gate.log}`];
  const title = `✗ gate ${gate.name} fails before the first session: ${gate.command}`;
  return [
    row({ head: { text: oneLine(title), format: 'red' } }, look),
    ...[...where, ...shown].map((text) =>
      row({ head: { text: `    ${oneLine(text)}`, format: 'dim' } }, look),
    ),
  ];
}

type Finished = Extract<SupervisorEvent, { kind: 'finished' }>;

/** Width of the facts after the title, with their gaps. */
const FACTS_COLUMNS = 45;
const [NARROW, USUAL, WIDE] = [16, 35, 60];

function finishedLines(event: Finished, { tallies }: RunState, look: Look): string[] {
  const { id, title } = event.claim.task;
  const { status } = event.decision;
  const tally = tallies.get(id) ?? { tries: 0, duration_ms: 0, cost_usd: 0 };
  const room = look.columns === Number.POSITIVE_INFINITY ? USUAL : look.columns - FACTS_COLUMNS;
  const head = row(
    {
      head: {
        text: `${SYMBOLS[status]} #${id} ${oneLine(title)}`,
        format: COLORS[status],
        size: Math.min(WIDE, Math.max(NARROW, room)),
      },
      facts: [
        { text: triesText(tally.tries), size: 7, rank: 3 },
        { text: duration(tally.duration_ms), size: 6, align: 'right', rank: 2 },
        { text: moneyIfKnown(tally.cost_usd), size: 6, align: 'right', rank: 1 },
        { text: result(event), size: 20 },
      ],
    },
    look,
  );
  const { text, command } = reason(event);
  if (text === null) return [head];
  const second = { head: { text: `     ${oneLine(text)}`, format: 'dim' as const }, end: { text: command } };
  return [head, row(second, look)];
}

/** The text of the last column. */
function result({ decision: { status, outcome }, gates, commit, questions, flags }: Finished): string {
  if (status === 'done') {
    const passed = gates.filter((gate) => gate.passed).length;
    const proof = gates.length === 0 ? 'done, no gates' : `gates ${passed}/${gates.length}`;
    return commit === null ? proof : `${proof.padEnd(10)} ${commit.slice(0, 7)}`;
  }
  if (status === 'needs_input')
    return questions.length > 0
      ? `asked ${questions.map(({ id }) => `Q${id}`).join(' ')}`
      : `flagged ${flags.map(({ id }) => `F${id}`).join(' ')}`;
  if (outcome === 'proposed')
    return `gates ${gates.filter((gate) => gate.passed).length}/${gates.length}, to be merged`;
  if (status === 'blocked') return 'blocked';
  const why = outcome === 'gate_failed' ? `gate ${refutingGate(gates)?.name}` : OUTCOME_WORDS[outcome];
  return status === 'failed' ? `failed: ${oneLine(why)}` : `again: ${oneLine(why)}`;
}

/** The most useful fact about a task that is not done, and the command to continue with. */
function reason(event: Finished): { text: string | null; command: string } {
  const { claim, decision, gates, questions, flags } = event;
  const show = `ralph show ${claim.task.id}`;
  const [[question], [flag]] = [questions, flags];
  if (decision.status === 'done') return { text: decision.comment?.body ?? null, command: show };
  if (decision.status === 'needs_input' && question !== undefined)
    return { text: question.question, command: `ralph answer ${question.id} "..."` };
  if (decision.status === 'needs_input' && flag !== undefined)
    return { text: flagText(flag), command: `ralph flag close ${flag.id}` };
  // The next line tells of its pull request.
  if (decision.outcome === 'proposed') return { text: null, command: show };
  if (decision.status === 'blocked' && decision.blocked_by !== null)
    return { text: decision.blocked_by, command: `ralph why ${claim.task.id}` };
  if (decision.outcome === 'interrupted')
    return { text: `at no cost to the task (${whatHappened(event)})`, command: show };
  const gate = refutingGate(gates);
  if (decision.outcome === 'gate_failed' && gate !== null) return { text: firstFailure(gate), command: show };
  return { text: decision.comment === null ? null : lastLine(decision.comment.body), command: show };
}

function whatHappened({ decision: { hindrance }, end: { fault, detail } }: Finished): string {
  if (hindrance?.kind === 'machine_failed') return lastLine(hindrance.reason);
  const words = faultWords(fault ?? 'supervisor_killed');
  return detail === null ? words : `${words}: ${detail}`;
}

const SYMBOLS: Record<Decision['status'], string> = {
  done: '✓',
  pending: '↻',
  needs_input: '?',
  blocked: '■',
  failed: '✗',
};

const COLORS: Record<Decision['status'], Format> = {
  done: 'green',
  pending: 'yellow',
  needs_input: 'yellow',
  blocked: 'yellow',
  failed: 'red',
};

const OUTCOME_WORDS: Record<Decision['outcome'] | 'conflict', string> = {
  done: 'done',
  gate_failed: 'gate failed',
  rules_bent: 'rules bent',
  no_change: 'no change',
  needs_approval: 'no change to approve',
  changes_requested: 'review',
  conflict: 'conflict',
  proposed: 'to be merged',
  partial: 'partly done',
  stuck: 'stuck',
  interrupted: 'interrupted',
};

/** A comment ends with what remains to do. */
const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? '';
