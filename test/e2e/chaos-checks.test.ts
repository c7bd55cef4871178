// The checks of the chaos rounds, each seen to catch what it is there for: the queue, how runs ended, and what they leave on the
// machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Evidence } from '../../scripts/chaos/evidence.ts';
import type { Contest, RunEnd } from '../../scripts/chaos/scene.ts';
import { type Broken, besideGit, brokenRound } from './broken-round.ts';

const { whole, complaintsAbout, complaintsOf } = brokenRound();

it('an undisturbed round holds, also when it is looked at again', async () => {
  expect(whole().violations).toEqual([]);
  expect(await complaintsAbout(() => {})).toEqual([]);
});

const ENDED: RunEnd = { pid: 0, code: 0, output: '', killed: false, mayBeRefused: false };

const FIRST = '(select min(id) from signals)';

describe('the checks catch', () => {
  it.each<[string, string, (copy: Broken) => unknown]>([
    [
      'a signal that is gone',
      'everyAcknowledgedSignalIsThere',
      ({ sql }) => sql(`delete from signals where id = ${FIRST}`),
    ],
    [
      'a signal that is there twice',
      'everyAcknowledgedSignalIsThere',
      ({ sql }) =>
        sql(
          `insert into signals (session_id, verb, payload, created) select session_id, verb, payload, created from signals where id = ${FIRST}`,
        ),
    ],
    ['a task that is gone', 'noTaskIsLost', ({ sql }) => sql('delete from tasks where id = 1')],
    [
      'a task that is left in progress',
      'everyTaskIsDone',
      ({ sql }) => sql("update tasks set status = 'in_progress' where id = 1"),
    ],
    [
      'a task that ran again after its done',
      'noTaskRanAgainAfterItsDone',
      ({ sql }) =>
        sql(
          "insert into sessions (id, run_id, task_id, token, started, ended) select 'again', run_id, task_id, 99, started, ended from sessions where task_id = 1 limit 1",
        ),
    ],
    [
      'a done that became something else',
      'noTaskRanAgainAfterItsDone',
      ({ sql }) => sql("update sessions set outcome = 'interrupted' where outcome = 'done'"),
    ],
    [
      'a session that the journal does not know',
      'everySessionHasOneLineInTheJournal',
      ({ root }) => rmSync(join(root, '.ralph/memory/_.jsonl')),
    ],
    [
      'a line of the journal that is there twice',
      'everySessionHasOneLineInTheJournal',
      ({ root }) => {
        const file = join(root, '.ralph/memory/_.jsonl');
        appendFileSync(file, `${readFileSync(file, 'utf8').split('\n')[0]}\n`);
      },
    ],
    ['an open session', 'noSessionAndNoRunIsOpen', ({ sql }) => sql('update sessions set ended = null')],
    ['an open run', 'noSessionAndNoRunIsOpen', ({ sql }) => sql('update runs set ended = null')],
    [
      'a done without a receipt',
      'everyDoneHasOneReceipt',
      ({ sql }) => sql('delete from receipts where task_id = 1'),
    ],
    [
      'a wrong counter',
      'openBlockersEqualARecount',
      ({ sql }) => sql('update tasks set open_blockers = 3 where id = 2'),
    ],
    [
      'a row that points nowhere',
      'theDatabaseIsSound',
      ({ sql }) => sql("update gate_runs set session_id = 'nobody'"),
    ],
    [
      'a slot that a dead run seems to use',
      'noSlotIsTaken',
      ({ root }) => {
        const slots = join(root, '../home/.local/state/ralph/slots');
        writeFileSync(join(slots, readdirSync(slots)[0] ?? '', 'work-1.lock'), '');
      },
    ],
    ['a lock', 'noLockIsLeft', ({ root }) => writeFileSync(join(root, '.git/index.lock'), '')],
    [
      'a copy of the index',
      'noScratchIsLeft',
      ({ root }) => {
        mkdirSync(join(root, '.git/ralph/scratch'), { recursive: true });
        writeFileSync(join(root, '.git/ralph/scratch/index-1'), '');
      },
    ],
    [
      'a file that may hold secrets',
      'noScratchIsLeft',
      ({ root }) => writeFileSync(join(root, '../run/mcp.json'), ''),
    ],
    [
      'two runs that worked at the same time',
      'atMostOneRunWorksAtATime',
      ({ sql }) => {
        sql("delete from events where kind = 'session.ended'");
        sql(
          "update events set run_id = 99 where id = (select max(id) from events where kind = 'session.started')",
        );
      },
    ],
  ])('%s', async (_, check, breakIt) => {
    expect(await complaintsAbout(breakIt, besideGit)).toContain(check);
  });

  it.each<[string, (root: string) => { cwd: string; env: Record<string, string> }]>([
    ['in the project', (root) => ({ cwd: root, env: {} })],
    [
      'elsewhere, of a session',
      () => ({ cwd: '/', env: { RALPH_SESSION_ID: whole().evidence.sessions[0]?.id ?? '' } }),
    ],
  ])('a process that was left %s', async (_, where) => {
    const complaints = await complaintsAbout(async ({ root }) => {
      const { cwd, env } = where(root);
      const left = spawn('sleep', ['60'], {
        cwd,
        env: { ...env, PATH: process.env['PATH'] },
        stdio: 'ignore',
      });
      onTestFinished(() => void left.kill('SIGKILL'));
      await once(left, 'spawn');
    }, besideGit);
    expect(complaints).toEqual(['noProcessIsLeft']);
  });

  it('a run that did not come to its end', () => {
    const runEnds = [...whole().evidence.runEnds, { ...ENDED, code: 1, output: 'ralph: broken' }];
    expect(complaintsOf({ runEnds })).toEqual(['lastRunFinished', 'noRunBroke']);
  });

  const SURVIVOR = { pid: 1, parent: 1, group: 1, command: 'agent', marks: [] };
  const contest = (kind: Contest['kind'], ...runs: RunEnd[]): Contest => ({ kind, worker: null, runs });
  const TURNED_AWAY: RunEnd = { ...ENDED, code: 1, output: 'Another run is at work.', mayBeRefused: true };

  it.each<[string, string, () => Partial<Evidence>]>([
    [
      'a run that broke although it may refuse',
      'noRunBroke',
      () => ({ contests: [contest('beside', { ...TURNED_AWAY, output: 'Error\n    at main.ts:1' })] }),
    ],
    [
      'a run that worked beside another',
      'everyRivalIsTurnedAway',
      () => ({ contests: [contest('beside', ENDED)] }),
    ],
    [
      'a run that worked in a second work tree',
      'everyRivalIsTurnedAway',
      () => ({ contests: [contest('elsewhere', { ...ENDED, code: 10 })] }),
    ],
    [
      'runs that all turned each other away',
      'everyRivalIsTurnedAway',
      () => ({ contests: [contest('together', TURNED_AWAY, TURNED_AWAY)] }),
    ],
    [
      'a run that was turned away and left a row',
      'rivalsChangeNothing',
      () => ({ contests: [contest('beside', { ...TURNED_AWAY, pid: whole().evidence.runs[0]?.pid ?? 0 })] }),
    ],
    [
      'an agent that outlived its supervisor',
      'noSessionOutlivesItsSupervisor',
      () => ({ survivors: [{ ...SURVIVOR, part: 'session' }] }),
    ],
    [
      'a gate that outlived its supervisor',
      'noGateOutlivesItsSupervisor',
      () => ({ survivors: [{ ...SURVIVOR, part: 'gate' }] }),
    ],
    [
      'a commit that the person replaced and that is back',
      'everyCommitOfThePersonIsThere',
      () => {
        const hash = whole().evidence.branches[0]?.log[0]?.hash ?? '';
        return { person: { ...whole().evidence.person, rewritten: new Map([[hash, 'another']]) } };
      },
    ],
    [
      'a done that a killed gate refuted',
      'noTaskRanAgainAfterItsDone',
      () => ({
        disturbed: Array.from({ length: 4 }, () => ({ victim: 'gate', after: 'gate begun', detail: '' })),
        sessions: whole().evidence.sessions.map((session) => ({ ...session, outcome: 'gate_failed' })),
      }),
    ],
  ])('%s', (_, check, broken) => {
    expect(complaintsOf(broken())).toContain(check);
  });
});

it('a done that was put back is excused once for each git that died, and never without one', () => {
  const sessions = whole().evidence.sessions.map((session) => ({ ...session, outcome: 'interrupted' }));
  const dones = whole().evidence.acknowledged.filter(({ verb, honest }) => verb === 'done' && honest).length;
  const deaths = Array.from(
    { length: dones },
    () => ({ victim: 'git', after: 'start', detail: '' }) as const,
  );
  expect(complaintsOf({ sessions, disturbed: deaths })).toEqual([]);
  expect(complaintsOf({ sessions, disturbed: deaths.slice(1) })).toContain('noTaskRanAgainAfterItsDone');
});
