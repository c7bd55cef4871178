import { faultWords } from '../../domain/sessions/session.ts';
import type { Question } from '../../domain/tasks/task.ts';
import { age, elapsed, money, stopwatch, wallTime } from '../../domain/text/amounts.ts';
import { plural } from '../../domain/text/text.ts';
import { type Look, row, type Span, wrapItems } from '../terminal/row.ts';
import { oneLine, paint } from '../terminal/style.ts';
import type { AtWork, RunningGate } from './at-work.ts';
import { slotText, waitingCommits } from './landing-words.ts';
import type { RunState } from './run-state.ts';
import { countLine, DOING_WORDS, type ScreenLook, sessionRows, trainLine } from './session-rows.ts';

/** More would push the current task off the screen. */
const MAX_QUESTIONS = 3;

export function footer(state: RunState, now: number, look: ScreenLook): string[] {
  const isOne = state.sessions.size < 2;
  return [
    paint('─'.repeat(look.columns), 'dim', look.color),
    ...stopping(state, look),
    ...(isOne ? activity(state, now, look) : activities(state, now, look)),
    ...(state.sessions.size === 0 ? [] : parkedRows(state, now, look)),
    ...questions(state, now, look),
    ...checkoutLine(state, look),
    ...(isOne
      ? [...queueLines(state, look), row({ head: { text: spentLine(state, now) } }, look)]
      : [countLine(state, now, look)]),
  ];
}

/** The first that fits is shown: the key to press must not be cut. */
const STOPPING_TEXTS: Record<RunState['stopping'], readonly string[]> = {
  no: [],
  after: ['■ stopping after this task, Ctrl-C again ends it now', '■ stopping; Ctrl-C again ends it'],
  now: ['■ ending this session now; its task goes back, at no cost', '■ ending this session now'],
};

const STOPPING_ALL_TEXTS: typeof STOPPING_TEXTS = {
  no: [],
  after: ['■ stopping after these tasks, Ctrl-C again ends them now', '■ stopping; Ctrl-C again ends all'],
  now: ['■ ending these sessions now; their tasks go back, at no cost', '■ ending all sessions now'],
};

function stopping({ stopping: mode, sessions }: RunState, look: Look): string[] {
  const texts = (sessions.size > 1 ? STOPPING_ALL_TEXTS : STOPPING_TEXTS)[mode];
  const text = texts.find(({ length }) => length <= look.columns) ?? texts.at(-1);
  return text === undefined ? [] : [row({ head: { text, format: 'yellow' } }, look)];
}

/** With at most one session at work. */
function activity(state: RunState, now: number, look: Look): string[] {
  const [session] = state.sessions.values();
  const waiting = waitingRow(state, now, look);
  const opening = openingRows(state, now, look);
  if (session !== undefined) {
    const before = state.tallies.get(session.id)?.cost_usd ?? 0;
    const { gate } = session;
    const doing = waiting ?? (gate === null ? nowRow(session, now, look) : gateRow(gate, now, look));
    return [sessionRow(session, before, now, look), doing, ...opening];
  }
  if (waiting !== null) return [waiting];
  const idle = state.stopping === 'no' ? 'taking the next task' : 'stopping';
  return opening.length > 0 ? opening : [row({ head: { text: `  now   ${idle}` } }, look)];
}

function activities(state: RunState, now: number, look: ScreenLook): string[] {
  const waiting = waitingRow(state, now, look);
  return [
    ...(waiting === null ? [] : [waiting]),
    ...sessionRows(state, now, look),
    ...openingRows(state, now, look),
    ...trainLine(state, look),
  ];
}

/** What happens before a session starts: its slot is made ready, and gates run. */
function openingRows({ slots, gates_before, sessions, jobs }: RunState, now: number, look: Look): string[] {
  const isAlone = jobs === 1 && sessions.size === 0;
  return [
    ...[...slots].map(([slot, { step, detail, at }]) => {
      const name = isAlone ? '  now   ' : `  slot ${slot}  `;
      return row({ head: { text: `${name}${slotText(step, detail)}, ${age(now - at)}` } }, look);
    }),
    ...[...gates_before.values()].map((gate) =>
      gateRow(gate, now, look, isAlone || gate.task === null ? 'now  ' : `#${gate.task.id}`),
    ),
  ];
}

/** Stays until the person has acted. */
const checkoutLine = ({ checkout }: RunState, look: Look): string[] =>
  checkout === null
    ? []
    : [
        row(
          { head: { text: `! ${waitingCommits(checkout)}`, format: 'yellow' }, end: { text: 'ralph land' } },
          look,
        ),
      ];

/** Agents that start nothing while the others work. */
const parkedRows = ({ parked }: RunState, now: number, look: Look): string[] =>
  [...parked]
    .filter(([, { until }]) => until === null || until > now)
    .map(([agent, { until, fault }]) =>
      row(
        {
          head: { text: `⏸ ${oneLine(agent)}: ${faultWords(fault)}`, format: 'yellow' },
          end: { text: until === null ? 'not tried again' : `until ${wallTime(until)}` },
        },
        look,
      ),
    );

function waitingRow(
  { waiting_until, waiting_for, waiting_agent }: RunState,
  now: number,
  look: Look,
): string | null {
  if (waiting_until === null || waiting_until <= now) return null;
  const left = stopwatch(waiting_until - now);
  const text =
    waiting_for === null
      ? `⏸ no task may start yet, ${left} left`
      : `⏸ ${waiting_agent === null ? '' : `${oneLine(waiting_agent)}: `}${faultWords(waiting_for)}, trying again in ${left}`;
  return row({ head: { text, format: 'yellow' }, end: { text: `until ${wallTime(waiting_until)}` } }, look);
}

function sessionRow(
  { id, title, tries, since, turn, max_turns, model, answer }: AtWork,
  cost_usd: number,
  now: number,
  look: Look,
): string {
  // An agent that does not tell its answers apart has printed lines, and no limit of turns holds for those.
  const isCounted = turn === 0 || answer !== null;
  return row(
    {
      head: { text: `▶ #${id} ${oneLine(title)}`, format: 'blue' },
      facts: [
        { text: `try ${tries.number}/${tries.most}`, rank: 1 },
        { text: stopwatch(now - since) },
        { text: isCounted ? `turn ${turn}/${max_turns}` : plural(turn, 'line'), rank: 2 },
        { text: oneLine(model), rank: 4 },
        ...(cost_usd === 0 ? [] : [{ text: money(cost_usd), rank: 3 }]),
      ],
    },
    look,
  );
}

function gateRow(
  { phase, step: { name, number, of }, at }: RunningGate,
  now: number,
  look: Look,
  about = 'now  ',
): string {
  const since = age(now - at);
  const text =
    phase === 'before'
      ? `checking the gates before starting (${oneLine(name)} ${number}/${of}, ${since})`
      : `gates ${number}/${of}: ${oneLine(name)}, ${since}`;
  return row({ head: { text: `  ${about} ${text}` } }, look);
}

function nowRow({ now: { doing, action, at } }: AtWork, now: number, look: Look): string {
  const words = doing === 'working' ? oneLine(action) : DOING_WORDS[doing];
  const since = age(now - at);
  const facts = [{ text: doing === 'working' ? `${since} ago` : since, format: 'dim' as const }];
  return row({ head: { text: `  now   ${words}` }, facts }, look);
}

function questions({ queue }: RunState, now: number, look: Look): string[] {
  // Only what a task waits for: other questions stay open from run to run.
  const open = queue?.questions.filter(({ blocking }) => blocking) ?? [];
  const more = open.length - MAX_QUESTIONS;
  return [
    ...open.slice(0, MAX_QUESTIONS).map((question) => questionRow(question, now, look)),
    ...(more > 0
      ? [row({ head: { text: `  ${plural(more, 'more question')}` }, end: { text: 'ralph status' } }, look)]
      : []),
  ];
}

function questionRow({ id, task_id, question, asked }: Question, now: number, look: Look): string {
  return row(
    {
      head: {
        text: `? Q${id} #${task_id} waits ${age(now - asked)}: "${oneLine(question)}"`,
        format: 'yellow',
      },
      end: { text: `ralph answer ${id} "..."` },
    },
    look,
  );
}

function queueLines({ queue }: RunState, look: Look): string[] {
  if (queue === null) return [];
  const { counts, ready } = queue;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const items: [number, string, Span['format']][] = [
    [counts.in_progress, 'running', 'blue'],
    [ready, 'ready', 'cyan'],
    [counts.pending - ready, 'waiting', undefined],
    [counts.failed, 'failed', 'red'],
    [counts.needs_input, 'asking', 'yellow'],
    [counts.blocked, 'blocked', 'yellow'],
    [counts.draft, 'draft', undefined],
    [counts.skipped, 'skipped', undefined],
  ];
  const spans: Span[] = [
    { text: `${counts.done} done`, format: 'green' },
    ...items.flatMap(([count, word, format]): Span[] =>
      count > 0 ? [{ text: `${count} ${word}`, ...(format !== undefined && { format }) }] : [],
    ),
    { text: `of ${total}`, format: 'dim' },
  ];
  return wrapItems('  Queue ', spans, look);
}

function spentLine({ total, budget_usd, started }: RunState, now: number): string {
  const isUnknown = total.cost_usd === 0 && total.sessions > 0;
  const amount = isUnknown ? 'not reported' : `${money(total.cost_usd)} of ${money(budget_usd)}`;
  return `  Spent ${amount}   ${elapsed(now - started)}`;
}
