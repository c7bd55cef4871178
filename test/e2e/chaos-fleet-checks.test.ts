// Each check of fleet chaos is seen to fail on a planted history, and each excuse to excuse nothing else.
import { describe, expect, it } from 'vitest';
import { newPersonLog } from '../../scripts/chaos/disturb/person-log.ts';
import { FLEET_CHECKS, judgeFleet } from '../../scripts/chaos/fleet/checks.ts';
import { LEASE_MS } from '../../scripts/chaos/fleet/disturbance.ts';
import type { FleetEvidence, LostRun, TakenOver } from '../../scripts/chaos/fleet/evidence.ts';
import type { FleetDisturbed } from '../../scripts/chaos/fleet/round.ts';

const say = (nonce: string, honest: boolean) => ({ say: 'done', args: {}, nonce, honest });
const session = { id: 's1', task_id: 1, token: 1, ended: 2, outcome: 'done' };
const task = { id: 1, status: 'done', open_blockers: 0, counted: 0, attempts: 0, stuck_count: 0 };
const receipt = { task_id: 1, session_id: 's1', commit_id: 'c1', tree_hash: 'tree-1' };
const files = { 'work/1.txt': 'task 1\nok\n', 'claims/1.txt': '1\n', 'shared.txt': 'by 1\n' };
const commit = { hash: 'c1', tree: 'tree-1', task: 1, session: 's1', files: ['work/1.txt'], changed: [] };
const branch = { name: 'main', log: [], files, taskCommits: [commit] };

/** One task, which its second attempt did; the first one would have lied. */
const SOUND: FleetEvidence = {
  plan: {
    ...{ seed: 1, claude: false, jobs: 3, gateMs: 100, disturbances: [] },
    machines: [
      { clockHours: 0, jobs: 1 },
      { clockHours: 1, jobs: 1 },
    ],
    tasks: [
      {
        ...{ id: 1, depends_on: [], priority: 'high', shares: true, claims: true },
        attempts: [[say('lie-1', false)], [say('nonce-1', true)]],
      },
    ],
  },
  disturbed: [],
  acknowledged: [{ task: 1, session: 's1', verb: 'done', nonce: 'nonce-1', honest: true }],
  gatesSeen: [{ event: 'pass', tree: 'tree-1', isCollision: false }],
  tasks: [task],
  runs: [{ id: 1, pid: 7, ended: 3 }],
  sessions: [session],
  signals: [{ session_id: 's1', verb: 'done', payload: '{"summary":"nonce-1"}' }],
  receipts: [receipt],
  gateRuns: [{ session_id: 's1', passed: 1, tree_hash: 'tree-1' }],
  branches: [branch],
  clones: [{ commit: 'c1', code: 0, output: '' }],
  fsck: { code: 0, output: '' },
  refs: ['refs/ralph/followed/main'],
  person: newPersonLog(''),
  slotFiles: ['work-1.made'],
  gitFiles: ['HEAD', 'ralph/trust.json'],
  runtimeFiles: [],
  processes: [],
  lost: [],
  takenOver: [],
  overlaps: [],
  absences: [],
  outputs: [{ host: 'machine-0', text: 'ralph: The remote origin cannot be reached.\n' }],
  lastCodes: [0, 0],
  hung: [],
  questions: [],
  unproven: [],
  tempFiles: [],
};

const complaints = (planted: Partial<FleetEvidence>): string[] => [
  ...new Set(judgeFleet({ ...SOUND, ...planted }).map((line) => line.slice(0, line.indexOf(':')))),
];

const lostRun: LostRun = { run_id: 1, host: 'machine-0', by: 2, started: 1_000, at: 50_000 };
const taken: TakenOver = {
  ...{ session_id: 's1', phase: 'working', from: 'machine-0', to: 'machine-1' },
  ...{ had_ended: false, started: 1_000, at: 50_000 },
};
const process = { pid: 9, parent: 1, group: 9, command: 'sleep 300', marks: [] };
const withFile = (path: string, text: string): FleetEvidence['branches'] => [
  { ...branch, files: { ...files, [path]: text } },
];

/** By the name of the check that has to find it. */
const FAULTS: Readonly<Record<string, Partial<FleetEvidence>>> = {
  theLastRunsFinished: { lastCodes: [0, 10] },
  noWorkerHung: { hung: ['machine-1'] },
  noWorkerBroke: { outputs: [{ host: 'machine-1', text: 'ralph: Unexpected error: x is null.\n' }] },
  everyAcknowledgedSignalIsThere: { signals: [] },
  noTaskIsLost: { tasks: [], receipts: [] },
  everyTaskIsDone: { tasks: [{ ...task, status: 'pending' }], receipts: [] },
  nobodyIsAsked: { questions: [{ task_id: 1, question: 'Which one?' }] },
  noSessionAndNoRunIsOpen: { runs: [{ id: 1, pid: 7, ended: null }] },
  everyDoneHasOneReceipt: { receipts: [] },
  everyDoneHasOneCommit: { branches: [{ ...branch, taskCommits: [commit, { ...commit, hash: 'c2' }] }] },
  everyDoneHasAGatePassOnItsTree: { gateRuns: [{ session_id: 's1', passed: 0, tree_hash: 'tree-1' }] },
  everyReceiptNamesTheTreeOfItsCommit: {
    branches: [{ ...branch, taskCommits: [{ ...commit, tree: 'tree-2' }] }],
  },
  everyCommitHoldsItsOwnWork: { branches: withFile('shared.txt', 'by 1\nby 1\n') },
  noTwoTasksHaveTheSameNumber: { branches: withFile('claims/2.txt', '1\n') },
  aFreshClonePassesTheGate: { clones: [{ commit: 'c1', code: 1, output: 'red' }] },
  theChainOfEvidenceHolds: { unproven: ['nothing vouches for task 1'] },
  onlyLiesAreCharged: { sessions: [{ ...session, id: 's0', outcome: 'gate_failed' }, session] },
  noTaskHasTwoSessionsAtOnce: { overlaps: [{ task_id: 1, first: 's0', second: 's1' }] },
  noRunIsLostThatHeldItsLease: { lost: [lostRun] },
  noJudgedWorkIsLostWithItsMachine: {
    sessions: [{ ...session, outcome: 'interrupted' }],
    takenOver: [{ ...taken, phase: 'landing', had_ended: true }],
  },
  openBlockersEqualARecount: { tasks: [{ ...task, open_blockers: 1 }] },
  theRepositoryIsSound: { fsck: { code: 1, output: 'missing blob' } },
  noReferenceOfAFinishedSessionIsLeft: { refs: ['refs/ralph/work/s1'] },
  noProcessIsLeft: { processes: [process] },
  noLockIsLeft: { gitFiles: ['refs/heads/main.lock'] },
  noSlotIsTaken: { slotFiles: ['work-1.session'] },
  noScratchIsLeft: { gitFiles: ['ralph/scratch/index-1/HEAD'] },
  noTemporaryFileIsLeft: { tempFiles: ['tmp-1'] },
};

it('a sound round of a fleet meets no complaint, and no check lacks a planted fault', () => {
  expect(judgeFleet(SOUND)).toEqual([]);
  expect(Object.keys(FAULTS).sort()).toEqual(FLEET_CHECKS.map(({ name }) => name).sort());
});

it.each(Object.entries(FAULTS))('the check %s finds its planted fault', (name, planted) => {
  expect(complaints(planted)).toContain(name);
});

describe('a run counts as rightly lost', () => {
  const away = { host: 'machine-0', from: 40_000, to: 48_000 };
  const losses = (absence: Partial<typeof away> | { to: null }, at = 50_000): string[] => [
    ...complaints({ lost: [{ ...lostRun, at }], absences: [{ ...away, ...absence }] }),
    ...complaints({ takenOver: [{ ...taken, at }], absences: [{ ...away, ...absence }] }),
  ];
  const TWICE = Array(2).fill('noRunIsLostThatHeldItsLease');

  it('a run counts as rightly lost if its machine was away, and so is the session that another machine took over from it', () => {
    expect(losses({})).toEqual([]);
  });
  it('a run counts as rightly lost for ever if its worker was killed', () => {
    expect(losses({ to: null }, 900_000)).toEqual([]);
  });
  it('a run does not count as rightly lost if another machine was away', () => {
    expect(losses({ host: 'machine-1' })).toEqual(TWICE);
  });
  it('a run does not count as rightly lost if its machine was back for longer than a lease', () => {
    expect(losses({}, 48_000 + 2 * LEASE_MS)).toEqual(TWICE);
  });
  it('a run does not count as rightly lost if its machine went away only later, or before the run began', () => {
    expect(losses({ from: 60_000, to: 70_000 })).toEqual(TWICE);
    expect(complaints({ lost: [{ ...lostRun, started: 45_000 }], absences: [away] })).toHaveLength(1);
  });
});

it('a session of an ended run may be taken over by any machine', () => {
  expect(complaints({ takenOver: [{ ...taken, had_ended: true }] })).toEqual([]);
});

it('judged work may be lost only if something hindered one of the two machines on its way to the remote', () => {
  const hit = (victim: FleetDisturbed['victim'], machine: string | null, detail = ''): string[] =>
    complaints({
      ...FAULTS['noJudgedWorkIsLostWithItsMachine'],
      disturbed: [{ victim, after: 'start', machine, detail }],
    });
  expect(hit('refusal', null, 'work')).toEqual([]);
  expect(hit('push', 'machine-0', 'in the pack')).toEqual([]);
  expect(hit('cut', 'machine-1', 'stall remote of machine-1')).toEqual([]);
  const UNEXCUSED = ['noJudgedWorkIsLostWithItsMachine'];
  expect(hit('push', 'machine-2', 'in the pack')).toEqual(UNEXCUSED);
  expect(hit('cut', 'machine-0', 'stall database of machine-0')).toEqual(UNEXCUSED);
  expect(hit('postgres', null)).toEqual(UNEXCUSED);
});

describe('a task is charged', () => {
  const earlier = (...outcomes: string[]): FleetEvidence['sessions'] => [
    ...outcomes.map((outcome, index) => ({ ...session, id: `e${index}`, token: index, outcome })),
    { ...session, token: 9 },
  ];
  const CHARGED = ['onlyLiesAreCharged'];

  it('a task is charged for a lie', () => {
    const lie = { session_id: 'e0', verb: 'done', payload: '{"summary":"lie-1"}' };
    const planted = { sessions: earlier('gate_failed'), tasks: [{ ...task, attempts: 1 }] };
    expect(complaints({ ...planted, signals: [...SOUND.signals, lie] })).toEqual([]);
    expect(complaints(planted)).toEqual(CHARGED);
  });
  it('a task is charged for being stuck only if that very agent was killed', () => {
    const planted = { sessions: earlier('stuck'), tasks: [{ ...task, stuck_count: 1 }] };
    const killed = (id: string): FleetDisturbed[] => [
      { victim: 'agent', after: 'start', machine: 'machine-0', detail: 'machine-0', session: id },
    ];
    expect(complaints({ ...planted, disturbed: killed('e0') })).toEqual([]);
    expect(complaints({ ...planted, disturbed: killed('other') })).toEqual(CHARGED);
    expect(complaints({ tasks: [{ ...task, stuck_count: 1 }] })).toEqual(CHARGED);
  });
  it('a task is charged for the third conflict in a row, and for none that something else came between', () => {
    const tasks = [{ ...task, attempts: 1 }];
    const inARow = earlier('conflict', 'conflict', 'interrupted', 'conflict');
    expect(complaints({ tasks, sessions: inARow })).toEqual([]);
    expect(complaints({ tasks, sessions: earlier('conflict', 'conflict', 'partial', 'conflict') })).toEqual(
      CHARGED,
    );
    expect(complaints({ tasks, sessions: earlier('conflict', 'conflict') })).toEqual(CHARGED);
  });
});
