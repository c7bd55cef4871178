// The part of the footer about sessions, where several are at work: a row for each, the train, and one line of counts.
import { age, elapsed, money, stopwatch } from '../../domain/text/amounts.ts';
import { type Fact, type Look, row, type Span } from '../terminal/row.ts';
import { oneLine, paint } from '../terminal/style.ts';
import { clip, width } from '../terminal/table.ts';
import { type AtWork, type RunningGate, train } from './at-work.ts';
import { taskList } from './landing-words.ts';
import type { RunState } from './run-state.ts';

/** `rows`: of the screen. */
export type ScreenLook = Look & { rows: number };

/** The rest of the screen is for what scrolls away above. */
const mostRows = ({ rows }: Pick<ScreenLook, 'rows'>): number => Math.max(1, Math.floor(rows / 3));

/** By slot, so that a row stays in its place as long as its session works. */
export function sessionRows(state: RunState, now: number, look: ScreenLook): string[] {
  const all = [...state.sessions.values()].sort((one, other) => (one.slot ?? 0) - (other.slot ?? 0));
  const isWide = look.columns >= WIDE_COLUMNS;
  const shown = all.slice(0, mostRows(look)).map((session) => ({
    session,
    head: `▶ #${session.id} ${oneLine(session.title)}`,
    slot: session.slot === null ? '' : `slot ${session.slot}`,
    time: stopwatch(now - session.since),
    cost: isWide ? spent(state, session) : '',
  }));
  const widest = (name: 'head' | 'slot' | 'time' | 'cost'): number =>
    Math.max(...shown.map((one) => width(one[name])));
  const mostHead = Math.max(MIN_COLUMNS, Math.floor(look.columns * HEAD_SHARE));
  const sizes = {
    head: Math.min(widest('head'), mostHead),
    slot: widest('slot'),
    time: widest('time'),
    cost: widest('cost'),
  };
  const taken = Object.values(sizes).reduce((sum, size) => sum + (size === 0 ? 0 : size + 2), 0);
  const room = Math.max(MIN_COLUMNS, look.columns - taken);
  return shown.map(({ session, head, slot, time, cost }) => {
    const facts: Fact[] = [
      { text: slot, size: sizes.slot, rank: 2, format: 'dim' },
      { text: time, size: sizes.time, rank: 1, align: 'right' },
      { text: cost, size: sizes.cost, rank: 3, align: 'right' },
    ];
    return row(
      {
        head: { text: head, format: 'blue', size: sizes.head },
        facts: [...facts.filter(({ size }) => size !== 0), { text: doingText(session, now, room) }],
      },
      look,
    );
  });
}

/** Less says nothing, neither about a task nor about what is done for it. */
const MIN_COLUMNS = 16;
const HEAD_SHARE = 0.34;
/** From here on there is room for amounts beside times. */
const WIDE_COLUMNS = 100;

function spent({ tallies }: RunState, { id }: AtWork): string {
  const cost_usd = tallies.get(id)?.cost_usd ?? 0;
  return cost_usd === 0 ? '' : money(cost_usd);
}

/** Since when is never cut off: it tells whether the session still moves. */
function doingText(session: AtWork, now: number, room: number): string {
  const { gate, phase, behind } = session;
  if (gate === null && phase === 'landing' && behind.length > 0)
    return clip(`waits to land after ${taskList(behind)}`, room);
  const { text, since } = gate === null ? action(session.now, now) : gateAction(session, gate, now);
  return `${clip(text, Math.max(1, room - width(since) - 2))}, ${since}`;
}

type Action = { text: string; since: string };

const action = ({ doing, action: text, at }: AtWork['now'], now: number): Action =>
  doing === 'working'
    ? { text: oneLine(text), since: `${age(now - at)} ago` }
    : { text: DOING_WORDS[doing], since: age(now - at) };

const gateAction = (
  { phase }: AtWork,
  { step: { name, number, of }, at }: RunningGate,
  now: number,
): Action => ({
  text: `${phase === 'landing' ? 'landing, ' : ''}gates ${number}/${of}: ${oneLine(name)}`,
  since: age(now - at),
});

export const DOING_WORDS: Record<Exclude<AtWork['now']['doing'], 'working'>, string> = {
  starting: 'starting the agent',
  checking: 'checking the work',
  landing: 'landing',
};

/** Nothing while no session waits: the row of a session that lands says so itself. */
export function trainLine({ sessions }: RunState, look: Look): string[] {
  const [first, ...others] = train(sessions).map(({ id }) => id);
  if (first === undefined || others.length === 0) return [];
  return [row({ head: { text: `  Landing #${first}, then ${taskList(others)}` } }, look)];
}

/** Not shown if its count is 0. */
type CountItem = Pick<Span, 'text' | 'format'> & { rank: number; count?: number };

/** How the run as a whole is doing. What matters least is left out first where the line is too narrow. */
export function countLine(state: RunState, now: number, look: ScreenLook): string {
  const { sessions, queue, total, budget_usd, started } = state;
  const landing = train(sessions).length;
  const hidden = sessions.size - mostRows(look);
  const all = Object.values(queue?.counts ?? {}).reduce((sum, count) => sum + count, 0);
  const { failed = 0, needs_input = 0, blocked = 0, done = 0 } = queue?.counts ?? {};
  const ready = queue?.ready ?? 0;
  const budget = look.columns >= WIDE_COLUMNS ? ` of ${money(budget_usd)}` : '';
  const items: CountItem[] = [
    { text: `${sessions.size - landing} at work`, rank: 0, format: 'blue' },
    { text: `${landing} landing`, rank: 0, count: landing },
    { text: `${hidden} not shown`, rank: 1, count: hidden },
    { text: `${ready} ready`, rank: 1, count: ready, format: 'cyan' },
    { text: `${failed} failed`, rank: 0, count: failed, format: 'red' },
    { text: `${needs_input} asking`, rank: 0, count: needs_input, format: 'yellow' },
    { text: `${blocked} blocked`, rank: 3, count: blocked, format: 'yellow' },
    { text: `${done} of ${all} done`, rank: 2, count: all, format: 'green' },
    { text: `${money(total.cost_usd)}${budget}`, rank: 0, count: total.cost_usd },
    { text: elapsed(now - started), rank: 4 },
  ];
  const shown = items.filter(({ count = 1 }) => count > 0);
  const line = (): string => `  ${shown.map(({ text }) => text).join(' · ')}`;
  while (shown.length > 1 && width(line()) > look.columns) {
    const least = Math.max(...shown.map(({ rank }) => rank));
    shown.splice(
      shown.findLastIndex(({ rank }) => rank === least),
      1,
    );
  }
  if (width(line()) > look.columns) return clip(line(), look.columns);
  const painted = shown.map(({ text, format }) =>
    format === undefined ? text : paint(text, format, look.color),
  );
  return `  ${painted.join(' · ')}`;
}
