import { gateChangesText, unsignedText } from '../../domain/sessions/commit-message.ts';
import { flakyText, type GateResult } from '../../domain/sessions/gate.ts';
import { firstFailure } from '../../domain/sessions/gate-output.ts';
import { leftElsewhereText } from '../../domain/sessions/session.ts';
import { stateName } from '../../domain/tasks/status.ts';
import { nextTry } from '../../domain/tasks/tries.ts';
import { duration, localTime, money, wallTime } from '../../domain/text/amounts.ts';
import { plural } from '../../domain/text/text.ts';
import { trustNoticeText } from '../../domain/trust.ts';
import type { Claim } from '../../queue/tasks/claim.ts';
import type { SupervisorEvent } from '../../supervisor/input.ts';
import { pullLine } from '../pull-text.ts';
import { type Look, row } from '../terminal/row.ts';
import { oneLine } from '../terminal/style.ts';
import { wrap } from '../terminal/wrap.ts';
import { finishedLines } from './finished-lines.ts';
import { notLandedText, phaseText, slotLine, waitingCommits } from './landing-words.ts';
import { isParallel, type RunState } from './run-state.ts';
import { parkedText, waitingText } from './waiting-words.ts';

export function headerLine(
  { command, project, started, budget_usd }: RunState,
  tasks: number,
  look: Look,
): string {
  const text = `ralph ${command}  ${oneLine(project)}  ${plural(tasks, 'task')}  budget ${money(budget_usd)}`;
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
      return warning(event.reason);
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
      // The end of the sentence says what to do.
      return wrap(parkedText(event), look.columns)
        .split('\n')
        .map((text) => row({ head: { text, format: 'yellow' } }, look));
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
