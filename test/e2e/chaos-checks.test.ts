// The checks of the chaos rounds, each seen to catch what it is there for: the queue, and what a run leaves on the machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Broken, brokenRound } from './broken-round.ts';

const { whole, complaintsAbout } = brokenRound();

it('an undisturbed round holds, also when it is looked at again', async () => {
  expect(whole().violations).toEqual([]);
  expect(await complaintsAbout(() => {})).toEqual([]);
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
    expect(await complaintsAbout(breakIt)).toContain(check);
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
    });
    expect(complaints).toEqual(['noProcessIsLeft']);
  });
});
