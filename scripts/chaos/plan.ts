// A round, drawn from its seed: what there is to do, what the agents do and say, and when somebody is killed.
import { type Random, seeded } from './random.ts';

/** What a scripted agent does. A `say` is honest unless its `done` is a lie that the gate must refute. */
export type Step =
  | { shell: string }
  | { pauseMs: number }
  | { say: string; args: Record<string, unknown>; nonce: string; honest: boolean };

export type PlannedTask = {
  id: number;
  depends_on: number[];
  priority: 'high' | 'medium' | 'low';
  /** Writes into the file that all tasks share, too. */
  shares: boolean;
  /** What each attempt does; the last one again and again. */
  attempts: Step[][];
};

/** What must be seen to happen, how often, and how long to wait then. */
export type Moment = {
  after: 'start' | 'acknowledged' | 'gate begun' | 'gate ended' | 'session settled';
  count: number;
  delayMs: number;
};

/** `group`: the supervisor together with the git it has just started, as a machine that stops would. */
export type Victim = 'supervisor' | 'group' | 'server' | 'agent';

export type Kill = {
  victim: Victim;
  moment: Moment;
  /** Leaves the lock of a git that was cut off in the middle of writing the index. */
  plantsLock: boolean;
};

export type Plan = {
  seed: number;
  /** The real one, which sends a call that failed again under another id. */
  claude: boolean;
  gateMs: number;
  tasks: PlannedTask[];
  kills: Kill[];
};

/** `small`: as much as a test can wait for. */
export type PlanOptions = { claude?: boolean; small?: boolean };

export function planRound(seed: number, { claude = false, small = false }: PlanOptions = {}): Plan {
  const random = seeded(seed);
  const count = small ? 2 : claude ? 3 : random.pick([4, 4, 5]);
  const tasks: PlannedTask[] = [];
  for (let id = 1; id <= count; id++) tasks.push(planTask(random, id, seed, claude));
  const kills = Array.from({ length: small || claude ? 2 : random.between(2, 4) }, () =>
    planKill(random, claude),
  );
  return { seed, claude, gateMs: random.between(0, 150), tasks, kills };
}

function planTask(random: Random, id: number, seed: number, claude: boolean): PlannedTask {
  const depends_on = Array.from({ length: id - 1 }, (_, index) => index + 1).filter(() => random.chance(0.3));
  const shares = random.chance(0.5);
  const earlier = claude
    ? random.chance(0.3)
      ? [random.pick(['partial', 'lie'])]
      : []
    : Array.from({ length: random.pick([0, 0, 0, 1, 1]) }, () => random.pick(['partial', 'lie', 'ask']));
  const attempts = [...earlier, 'done'].map((way, attempt) =>
    planAttempt(random, { id, way, shares, nonce: `${seed}-${id}-${attempt}` }),
  );
  return { id, depends_on, priority: random.pick(['high', 'medium', 'low']), shares, attempts };
}

type Attempt = { id: number; way: string; shares: boolean; nonce: string };

function planAttempt(random: Random, { id, way, shares, nonce }: Attempt): Step[] {
  let said = 0;
  const say = (verb: string, make: (nonce: string) => Record<string, unknown>, honest = true): Step => {
    const own = `nonce-${nonce}-${said++}.`;
    return { say: verb, args: make(own), nonce: own, honest };
  };
  const file = `work/${id}.txt`;
  const last = way === 'done' ? 'ok' : way === 'lie' ? 'bad' : 'begun';
  const work: Step[] = [
    { shell: `mkdir -p work && printf 'task ${id}\\n${last}\\n' > ${file}` },
    ...(shares ? [{ shell: `grep -qx 'by ${id}' shared.txt || echo 'by ${id}' >> shared.txt` }] : []),
    ...(random.chance(0.4) ? [{ shell: `git add -- ${file} || true` }] : []),
    ...(random.chance(0.2) ? [{ shell: 'setsid sleep 300 </dev/null >/dev/null 2>&1 &' }] : []),
    ...(random.chance(0.5) ? [{ pauseMs: random.between(0, 120) }] : []),
    say('learned', (text) => ({ text: `Learned ${text}`, kind: 'discovery', scope: 'project' })),
    say('flag', (what) => ({ what: `Flagged ${what}`, severity: 'info', category: 'bug' })),
    ...(random.chance(0.3)
      ? [say('partial', (summary) => ({ summary: `Partly ${summary}`, remaining: 'The rest.' }))]
      : []),
  ];
  return [...random.shuffled(work), { shell: `test -e ${file}` }, ...closing(way, say)];
}

function closing(
  way: string,
  say: (verb: string, make: (nonce: string) => Record<string, unknown>, honest?: boolean) => Step,
): Step[] {
  const partial = () =>
    say('partial', (summary) => ({ summary: `Partly ${summary}`, remaining: 'The rest.' }));
  switch (way) {
    case 'partial':
      return [partial()];
    case 'ask':
      return [say('ask', (question) => ({ question: `Which ${question}`, blocking: true })), partial()];
    default:
      return [say('done', (summary) => ({ summary: `Done ${summary}` }), way === 'done')];
  }
}

function planKill(random: Random, claude: boolean): Kill {
  const after = random.pick<Moment['after']>([
    'start',
    'acknowledged',
    'acknowledged',
    'acknowledged',
    'gate begun',
    'gate ended',
    'gate ended',
    'session settled',
  ]);
  const victim =
    after === 'acknowledged'
      ? random.pick<Victim>(['supervisor', 'group', 'server', 'server', 'agent', 'agent'])
      : random.pick<Victim>(['supervisor', 'group']);
  // An agent says one thing after another within milliseconds: whoever waits longer finds nobody.
  const isShort = victim === 'server' || victim === 'agent';
  const most = {
    start: claude ? 2_500 : 1_500,
    acknowledged: isShort ? 60 : 250,
    'gate begun': 200,
    'gate ended': 120,
  };
  // A run needs a moment before there is anything to kill.
  const least = after === 'start' ? 250 : 0;
  const delayMs = random.between(least, after === 'session settled' ? 150 : most[after]);
  const count = after === 'start' ? 0 : after === 'acknowledged' ? random.between(1, 4) : 1;
  return { victim, moment: { after, count, delayMs }, plantsLock: victim === 'group' && random.chance(0.4) };
}
