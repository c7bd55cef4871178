// A round, drawn from its seed: the tasks, what the agents do and say, and what disturbs them.
import { type Disturbance, planDisturbance, type Victim } from './disturbance.ts';
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
  /** Takes the first number that no task has: two that do so at the same time are green apart and red together. */
  claims: boolean;
  /** What each attempt does; the last one again and again. */
  attempts: Step[][];
};

/** The tasks of a round, and how they are worked on. */
export type PlannedWork = {
  seed: number;
  /** The real one, which sends a call that failed again under another id. */
  claude: boolean;
  /** Sessions at the same time. */
  jobs: number;
  gateMs: number;
  tasks: PlannedTask[];
};

export type Plan = PlannedWork & { disturbances: Disturbance[] };

export type PlanOptions = {
  claude?: boolean;
  jobs?: number;
  /** As much as a test can wait for. */
  small?: boolean;
  /** Draws only these victims; all of them where it is empty. */
  only?: readonly Victim[];
};

export function planRound(
  seed: number,
  { claude = false, jobs = 1, small = false, only = [] }: PlanOptions = {},
): Plan {
  const random = seeded(seed);
  // With fewer tasks than jobs, some lanes would stay empty.
  const count = small ? 2 : Math.max(jobs, claude ? 3 : random.pick([4, 4, 5]));
  const tasks = planTasks(random, { count, seed, mayAsk: !claude });
  const disturbances = Array.from({ length: small || claude ? 2 : random.between(2, 4) }, () =>
    planDisturbance(random, { claude, jobs }, only),
  );
  const leastGateMs = disturbances.some(({ victim }) => victim === 'gate') ? 100 : 0;
  return { seed, claude, jobs, gateMs: random.between(leastGateMs, 150), tasks, disturbances };
}

/** `mayAsk`: a person is there to answer, and a session costs little. */
export const planTasks = (
  random: Random,
  { count, seed, mayAsk = false }: { count: number; seed: number; mayAsk?: boolean },
): PlannedTask[] => Array.from({ length: count }, (_, index) => planTask(random, index + 1, seed, mayAsk));

function planTask(random: Random, id: number, seed: number, mayAsk: boolean): PlannedTask {
  const depends_on = Array.from({ length: id - 1 }, (_, index) => index + 1).filter(() => random.chance(0.3));
  const shares = random.chance(0.5);
  const claims = random.chance(0.5);
  const earlier = mayAsk
    ? Array.from({ length: random.pick([0, 0, 0, 1, 1]) }, () => random.pick(['partial', 'lie', 'ask']))
    : random.chance(0.3)
      ? [random.pick(['partial', 'lie'])]
      : [];
  const attempts = [...earlier, 'done'].map((way, attempt) =>
    planAttempt(random, { id, way, shares, claims, nonce: `${seed}-${id}-${attempt}` }),
  );
  return { id, depends_on, priority: random.pick(['high', 'medium', 'low']), shares, claims, attempts };
}

/** Keeps the lines of both where another session or a person changed the shared file meanwhile. */
const RESOLVE = "sed -i '/^<<<<<<< /d; /^=======$/d; /^>>>>>>> /d' shared.txt";

/** Two sessions that take their number at the same time take the same, in files of their own: git merges them without a word. */
const claim = (id: number): string =>
  `mkdir -p claims; rm -f claims/${id}.txt; n=1; while grep -qsx "$n" claims/*.txt; do n=$((n+1)); done; echo "$n" > claims/${id}.txt`;

type Attempt = { id: number; way: string; shares: boolean; claims: boolean; nonce: string };

function planAttempt(random: Random, { id, way, shares, claims, nonce }: Attempt): Step[] {
  let count = 0;
  const say = (verb: string, make: (nonce: string) => Record<string, unknown>, honest = true): Step => {
    const own = `nonce-${nonce}-${count++}.`;
    return { say: verb, args: make(own), nonce: own, honest };
  };
  const file = `work/${id}.txt`;
  const last = way === 'done' ? 'ok' : way === 'lie' ? 'bad' : 'begun';
  const work: Step[] = [
    { shell: `mkdir -p work && printf 'task ${id}\\n${last}\\n' > ${file}` },
    ...(shares
      ? [{ shell: `${RESOLVE}; grep -qx 'by ${id}' shared.txt || echo 'by ${id}' >> shared.txt` }]
      : []),
    ...(claims ? [{ shell: claim(id) }] : []),
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
