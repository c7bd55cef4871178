import { type NextAgent, nextAgent, nextAgentText } from '../../../app/next-agent.ts';
import { withProject } from '../../../app/open-project.ts';
import type { CommandContext } from '../../../app/world.ts';
import { faultWords } from '../../../domain/sessions/session.ts';
import { sessionState } from '../../../domain/sessions/session-state.ts';
import { longName, type Named } from '../../../domain/tasks/badge.ts';
import { type Flag, flagText } from '../../../domain/tasks/flag.ts';
import { stateWord } from '../../../domain/tasks/status.ts';
import { AUTHOR_NAMES, type Question } from '../../../domain/tasks/task.ts';
import { tryText } from '../../../domain/tasks/tries.ts';
import { costText, localTime } from '../../../domain/text/amounts.ts';
import { outcomeName } from '../../../domain/text/run-words.ts';
import { plural, visible } from '../../../domain/text/text.ts';
import { mayExist, workRef } from '../../../host/git/refs.ts';
import { isAlive } from '../../../host/processes/process-identity.ts';
import { orphanedTasks } from '../../../queue/sessions/runs.ts';
import { listNames, type Names } from '../../../queue/tasks/list.ts';
import { show as showTask, type TaskDetails } from '../../../queue/tasks/show.ts';
import { pullSummaryText } from '../../../text/pull-text.ts';
import { gateLines, receiptLines } from '../../../text/session-text.ts';
import { oneLine, paint, section, shortId, shortModel, statusCell } from '../../../text/terminal/style.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand } from '../../command.ts';
import { locateLog } from '../../log/gate-log.ts';
import { taskId } from '../../parse.ts';

export const show = defineCommand<[id: number]>({
  name: 'show',
  summary: 'show everything about a task',
  group: 'Look',
  args: [taskId()],
  examples: ['ralph show 7', 'ralph show 7 --json'],
  run: (context, [id]) =>
    withProject(context, async ({ queue, root }) => {
      const details = await showTask(queue, id);
      const left = (await orphanedTasks(queue, isAlive)).has(id);
      const hasWork = mayExist({ root }, workRef(id));
      const names = await listNames(queue);
      const agent = await nextAgent({ queue, root }, details);
      return {
        json: { ...details, next_agent: agent },
        text: detailsText(details, context, left, { hasWork, names, agent }),
      };
    }),
});

/** What the task itself does not say. */
type Surroundings = { hasWork?: boolean; names?: Names; agent?: NextAgent | null };

export function detailsText(
  task: TaskDetails,
  { terminal, now, cwd }: Pick<CommandContext, 'terminal' | 'now' | 'cwd'>,
  isLeftBehind = false,
  { hasWork = false, names = NO_NAMES, agent = null }: Surroundings = {},
): string {
  const state = statusCell(stateWord(task, now(), isLeftBehind));
  const head = `${paint(`#${task.id} ${oneLine(task.title)}`, 'bold', terminal.color)}\n${paint(state.text, state.format, terminal.color)}`;
  const fold = (text: string): string => wrap(text, terminal.columns - INDENT);
  const sections = [
    head,
    facts(task, names, agent),
    section('Description', task.description === null ? [] : [fold(visible(task.description))]),
    section(
      'Acceptance criteria',
      task.acceptance_criteria.map((one) => fold(item(one))),
    ),
    section('Expected output', task.output_artifacts.map(item)),
    section('Context files', task.context_files.map(item)),
    section('Hints', task.hints === null ? [] : [fold(visible(task.hints))]),
    section('Pseudocode', task.pseudocode === null ? [] : [visible(task.pseudocode)]),
    section(
      'Questions',
      task.questions.map((one) => fold(questionLine(one))),
    ),
    section(
      'Flags',
      task.flags.map((one) => fold(flagLine(one))),
    ),
    section('Comments', commentLines(task).map(fold)),
    section(
      'Sessions (ralph log SESSION shows one)',
      task.sessions.map((session) => fold(sessionLine(session, isLeftBehind))),
    ),
    section(
      'Unfinished work: it comes back with the next try',
      hasWork ? [`see   ralph diff ${task.id}`] : [],
    ),
    section('Pull request', task.pull_request === null ? [] : [pullSummaryText(task.pull_request)]),
    section(
      'Gates of the last try',
      task.status === 'done' ? [] : gateLines(task.gates, locateLog(task.sessions.at(-1)?.id ?? '', cwd)),
    ),
    section('Receipt', task.receipt === null ? [] : receiptLines(task.receipt)),
  ];
  return sections.filter((part) => part !== null).join('\n\n');
}

/** Of a section. */
const INDENT = 2;

/** The whole output of a gate for the last try that one refuted; of earlier ones only how they failed. */
function commentLines({ comments, sessions }: Pick<TaskDetails, 'comments' | 'sessions'>): string[] {
  const refuted = sessions.filter(({ outcome }) => outcome === 'gate_failed').map(({ id }) => id);
  const earlier = new Set<string | null>(refuted.slice(0, -1));
  return comments.map(({ author, body, created, session_id }) => {
    const isEarlier = author === 'system' && earlier.has(session_id);
    const text = isEarlier ? `${body.split('\n')[0]} ralph log ${shortId(session_id ?? '')}` : body;
    return `${localTime(created)} ${AUTHOR_NAMES[author]}: ${visible(text)}`;
  });
}

const NO_NAMES: Names = { features: [], disciplines: [] };

const withBadge = (name: string | null, definitions: readonly Named[]): string | null => {
  const found = definitions.find((one) => one.name === name);
  return found === undefined ? name : longName({ ...found, display_name: name });
};

function facts(task: TaskDetails, names: Names, agent: NextAgent | null): string {
  const pairs: [string, string | null][] = [
    ['feature', withBadge(task.feature, names.features)],
    ['discipline', withBadge(task.discipline, names.disciplines)],
    ['kind', task.kind === 'change' ? null : task.kind],
    ['priority', task.priority],
    ['parent', task.parent === null ? null : `#${task.parent}`],
    ['depends on', task.depends_on.length === 0 ? null : task.depends_on.map((id) => `#${id}`).join(' ')],
    ['blocked by', task.blocked_by],
    ['not before', task.not_before === null ? null : localTime(task.not_before)],
    ['tries', task.tries === 0 ? null : String(task.tries)],
    ['stuck', task.stuck_count === 0 ? null : plural(task.stuck_count, 'time')],
    ['agent', agent === null ? task.agent : nextAgentText(agent)],
    ['model', task.model],
    ['effort', task.effort],
    ['turns', task.estimated_turns === null ? null : `${task.estimated_turns}, estimated`],
    ['needs', task.needs.length === 0 ? null : task.needs.join(', ')],
    ['tags', task.tags.length === 0 ? null : task.tags.join(', ')],
    ['created', `${localTime(task.created)} by ${AUTHOR_NAMES[task.provenance]}`],
    ['from', task.references.length === 0 ? null : task.references.map(referenceText).join(' · ')],
    ['enriched', task.enriched_at === null ? null : localTime(task.enriched_at)],
    ['archived', task.archived === null ? null : localTime(task.archived)],
    ['completed', task.completed === null ? null : localTime(task.completed)],
  ];
  const filled = pairs.filter((pair): pair is [string, string] => pair[1] !== null);
  return filled.map(([name, value]) => `${name.padEnd(11)} ${oneLine(value)}`).join('\n');
}

const referenceText = ({ source, board, id }: TaskDetails['references'][number]): string =>
  board === source ? `${source} ${id}` : `${source} ${id} (${board})`;

const item = (text: string): string => `- ${oneLine(text)}`;

function questionLine({ id, question, answer, dismissed, options, preferred }: Question): string {
  const choices =
    options.length === 0
      ? ''
      : ` [${options.map((one) => (one === preferred ? `${oneLine(one)}, preferred` : oneLine(one))).join(' | ')}]`;
  const state =
    answer !== null
      ? `answered: ${oneLine(answer)}`
      : dismissed !== null
        ? 'dismissed'
        : `open, ralph answer ${id} "..."`;
  return `Q${id} ${oneLine(question)}${choices} (${state})`;
}

function flagLine(flag: Flag): string {
  const note = flag.note === null ? '' : `: ${oneLine(flag.note)}`;
  const state = flag.closed === null ? `open, ralph flag close ${flag.id}` : `closed${note}`;
  return `F${flag.id} ${flag.severity} ${oneLine(flagText(flag))} (${state})`;
}

function sessionLine(session: TaskDetails['sessions'][number], isLeftBehind: boolean): string {
  const { id, outcome, started, usage } = session;
  return [
    shortId(id),
    tryText(session),
    localTime(started),
    outcome === null ? sessionState(session, !isLeftBehind).word : outcomeName(outcome),
    ...(usage.model === null ? [] : [shortModel(usage.model)]),
    plural(usage.turns, 'turn'),
    costText(usage.cost_usd),
    ...faultText(session),
  ].join('  ');
}

/** Why an interrupted session does not count as a try. */
function faultText({ end, outcome }: TaskDetails['sessions'][number]): string[] {
  if (outcome !== 'interrupted' || end?.kind !== 'infrastructure') return [];
  const { fault, detail } = end;
  return [oneLine(detail === undefined ? faultWords(fault) : `${faultWords(fault)}: ${detail}`)];
}
