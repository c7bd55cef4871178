// The checks of the chaos rounds, each seen to catch what it is there for: an undisturbed round, broken by hand.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { judge } from '../../scripts/chaos/checks.ts';
import { gatherEvidence } from '../../scripts/chaos/evidence.ts';
import { type Round, runRound } from '../../scripts/chaos/round.ts';
import { tempDir } from '../support/temp.ts';

let round: Round;

beforeAll(async () => {
  const programs = { ralph: inject('ralph'), agent: inject('chaosAgent') };
  round = await runRound(1, programs, { small: true, keep: true, kills: false });
});

afterAll(() => rmSync(round.project.folder, { recursive: true, force: true }));

type Broken = {
  root: string;
  ledger: string;
  git: (...args: string[]) => string;
  sql: (statement: string) => void;
};

/** The checks' word on a copy of the round's project that somebody has laid hands on. */
async function violationsOf(breakIt: (copy: Broken) => unknown): Promise<string[]> {
  const folder = tempDir();
  cpSync(round.project.folder, folder, { recursive: true });
  const [root, ledger] = [join(folder, 'project'), join(folder, 'ledger')];
  const project = { ...round.project, folder, root, ledger };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env: project.env, encoding: 'utf8', stdio: 'pipe' });
  const sql = (statement: string): void => {
    const db = new Database(join(root, '.git/ralph/ralph.db'));
    db.pragma('foreign_keys = off');
    db.exec(statement);
    db.close();
  };
  await breakIt({ root, ledger, git, sql });
  return judge(await gatherEvidence(round.evidence.plan, project, round.evidence.runEnds));
}

it('an undisturbed round holds, also when it is looked at again', async () => {
  expect(round.violations).toEqual([]);
  expect(await violationsOf(() => {})).toEqual([]);
});

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
      'a second commit of a task',
      'everyDoneHasOneCommit',
      ({ git }) => git('commit', '-q', '--allow-empty', '-m', 'Again\n\nRalph-Task: 1\nRalph-Session: x'),
    ],
    [
      'a commit that is not that of the receipt',
      'everyDoneHasOneCommit',
      ({ sql }) => sql("update receipts set commit_id = 'another'"),
    ],
    [
      'a gate that passed on another tree',
      'everyDoneHasAGatePassOnItsTree',
      ({ sql }) => sql("update gate_runs set tree_hash = 'another'"),
    ],
    [
      'a gate that passed only on paper',
      'everyDoneHasAGatePassOnItsTree',
      ({ ledger }) => writeFileSync(join(ledger, 'gates.log'), 'begun\n'),
    ],
    [
      'work that was lost from the branch',
      'everyCommitHoldsItsOwnWork',
      ({ git }) => git('commit', '-q', '-m', 'Lose it', '--', git('rm', '-q', 'work/1.txt') || 'work/1.txt'),
    ],
    [
      "a commit with somebody else's file",
      'everyCommitHoldsItsOwnWork',
      ({ git }) => {
        git('add', 'notes.txt');
        git('commit', '-q', '--amend', '--no-edit');
      },
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
      'a broken object',
      'theRepositoryIsSound',
      ({ git, root }) => {
        const hash = git('rev-parse', 'HEAD:work/1.txt').trim();
        rmSync(join(root, '.git/objects', hash.slice(0, 2), hash.slice(2)), { force: true });
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
      ({ root }) =>
        writeFileSync(
          join(root, '.git/ralph/sessions', round.evidence.sessions[0]?.id ?? '', 'mcp.json'),
          '',
        ),
    ],
    [
      'work that is kept for a task that is done',
      'onlyUnfinishedTasksHaveWorkAside',
      ({ git }) => git('update-ref', 'refs/ralph/task-1', 'HEAD'),
    ],
    [
      "a person's file that was changed",
      'aPersonsChangesAreAsTheyWere',
      ({ root }) => appendFileSync(join(root, 'README.md'), 'And more.\n'),
    ],
    [
      "a person's change that was staged",
      'aPersonsChangesAreAsTheyWere',
      ({ git }) => git('add', 'README.md'),
    ],
    [
      'work that looks changed',
      'aPersonsChangesAreAsTheyWere',
      ({ git }) => git('rm', '-q', '--cached', 'work/1.txt'),
    ],
  ])('%s', async (_, check, breakIt) => {
    const names = (await violationsOf(breakIt)).map((line) => line.split(':')[0]);
    expect(names).toContain(check);
  });

  it.each<[string, (root: string) => { cwd: string; env: Record<string, string> }]>([
    ['in the project', (root) => ({ cwd: root, env: {} })],
    [
      'elsewhere, of a session',
      () => ({ cwd: '/', env: { RALPH_SESSION_ID: round.evidence.sessions[0]?.id ?? '' } }),
    ],
  ])('a process that was left %s', async (_, where) => {
    const violations = await violationsOf(async ({ root }) => {
      const { cwd, env } = where(root);
      const left = spawn('sleep', ['60'], {
        cwd,
        env: { ...env, PATH: process.env['PATH'] },
        stdio: 'ignore',
      });
      onTestFinished(() => void left.kill('SIGKILL'));
      await once(left, 'spawn');
    });
    expect(violations.map((line) => line.split(':')[0])).toEqual(['noProcessIsLeft']);
  });

  it('a run that did not come to its end', async () => {
    const runEnds = [...round.evidence.runEnds, { code: 1, output: 'ralph: broken', killed: false }];
    const names = judge({ ...round.evidence, runEnds }).map((line) => line.split(':')[0]);
    expect(names).toEqual(['lastRunFinished', 'noRunBroke']);
  });
});
