import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Step } from '../../scripts/demo/script.ts';
import { findCarriers, killCarriers, type Marker } from '../../src/host/processes/reap.ts';
import { runWithin, type TestProject, WITHOUT_MAINTENANCE } from '../support/ralph.ts';
import { replay } from '../support/replay.ts';
import { runNow } from '../support/run-now.ts';
import { isThere, watcherOf } from '../support/running.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';
import type { Turn } from '../support/scripted-model.ts';
import { type StreamAttempt, type StreamProject, streamProject } from '../support/stream-client.ts';

const GATE = 'test "$(ls *.part 2>/dev/null | wc -l)" -le 3';

/** Goes on once so many sessions have reached it. */
const meets = (count: number): string =>
  `touch "$HOME/at-work-$$"; until [ "$(ls "$HOME" | grep -c at-work)" -ge ${count} ]; do sleep 0.05; done`;

/** With a first commit: without one, a run works in the checkout. */
function commitAll({ root, home }: TestProject): string {
  const git = (...args: string[]): string =>
    runNow('git', args, {
      cwd: root,
      env: { HOME: home, PATH: process.env['PATH'], ...WITHOUT_MAINTENANCE },
    }).trim();
  git('config', 'user.email', 'a@example.com');
  git('config', 'user.name', 'A');
  git('add', '-A');
  git('commit', '-qm', 'First');
  return git('branch', '--show-current');
}

type Scene = ScriptedProject & { branch: string };

async function tasks(attempts: Record<string, Step[][]>, gate = GATE): Promise<Scene> {
  const scene = await scripted(attempts, `gates: [{ name: parts, command: '${gate}' }]\n`);
  writeFileSync(join(scene.project.root, 'shared.txt'), 'one\n');
  const branch = commitAll(scene.project);
  for (const id of Object.keys(attempts)) await scene.project.json('add', `Task ${id}`);
  return { ...scene, branch };
}

const writesPart = (id: number): Step => shell(`echo ${id} > ${id}.part`);

/** Three tasks, each with a file of its own. */
const threeTasks = (first = shell('true')): Promise<Scene> =>
  tasks(Object.fromEntries([1, 2, 3].map((id) => [id, [[first, writesPart(id), done()]]])));

type Shown = {
  status: string;
  attempts: number;
  stuck_count: number;
  sessions: { id: string; outcome: string }[];
};

const shown = ({ json }: TestProject, ids: readonly number[]): Promise<Shown[]> =>
  Promise.all(ids.map(async (id) => (await json('show', String(id))) as Shown));

const DONE_FREE = { status: 'done', attempts: 0, stuck_count: 0 };

describe('sessions that work at the same time', () => {
  it('three sessions work beside each other, and each commit that they land is green by itself', async () => {
    const { project, branch } = await threeTasks(shell(meets(3)));
    const ran = await project.within('run', '--jobs', '3');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const { commits, red } = replay(project.root, GATE, `ralph/${branch}`);
    expect([commits.length, red]).toEqual([3, []]);
  });

  it('no more sessions begin than a person allowed', async () => {
    const { project, branch } = await threeTasks();
    await project.within('run', '--jobs', '3', '--max-sessions', '2');
    expect(replay(project.root, GATE, `ralph/${branch}`).commits).toHaveLength(2);
  });

  it('of two that change the same lines one lands, the other is told and lands later, and nothing is charged', async () => {
    const gate = '! grep -q "<<<<" shared.txt';
    const attempts = (id: number): Step[][] => [
      [shell(meets(2)), shell(`echo ${id} > shared.txt`), done()],
      [shell('grep -q "<<<<" shared.txt'), shell('echo both > shared.txt'), done()],
    ];
    const { project, branch, promptOf } = await tasks({ 1: attempts(1), 2: attempts(2) }, gate);
    expect(await project.within('run', '--jobs', '2')).toMatchObject({ code: 0, stderr: '' });
    const both = await shown(project, [1, 2]);
    expect(both).toMatchObject([DONE_FREE, DONE_FREE]);
    const outcomes = both.map(({ sessions }) => sessions.map(({ outcome }) => outcome));
    expect(outcomes.toSorted((one, other) => one.length - other.length)).toEqual([
      ['done'],
      ['conflict', 'done'],
    ]);
    const loser = outcomes[0]?.length === 2 ? 1 : 2;
    expect(promptOf(loser, 1)).toMatch(/others changed the same lines[\s\S]*shared\.txt/);
    expect(promptOf(loser, 1)).toContain(`Task ${3 - loser}`);
    const { commits, red } = replay(project.root, gate, `ralph/${branch}`);
    expect([commits.length, red]).toEqual([2, []]);
  });

  it('of two that are green apart and red together only one lands, and the other is not charged', async () => {
    const gate = 'test "$(ls *.part 2>/dev/null | wc -l)" -le 1';
    const attempts = (id: number): Step[][] => [[shell(meets(2)), writesPart(id), done()]];
    const { project, branch } = await tasks({ 1: attempts(1), 2: attempts(2) }, gate);
    await project.within('run', '--jobs', '2', '--max-sessions', '2');
    const states = (await shown(project, [1, 2])).map(({ status, attempts: charged }) => [status, charged]);
    expect(states.toSorted()).toEqual([
      ['done', 0],
      ['pending', 0],
    ]);
    const { commits, red } = replay(project.root, gate, `ralph/${branch}`);
    expect([commits.length, red]).toEqual([1, []]);
  });
});

it('of two sessions that fail at the same time, the person hears of both', async () => {
  // Its slot cannot be given back.
  const breaks = shell('cd .. && rm "$PWD.session" && mkdir "$PWD.session"');
  const attempts = [[shell(meets(2)), breaks, done()]];
  const { project } = await tasks({ 1: attempts, 2: attempts }, 'true');
  const { code, stdout, stderr } = await project.ralph('run', '--jobs', '2');
  expect(code).toBe(1);
  expect(`${stdout}${stderr}`).toMatch(/the session of #[12] failed, too: .*work-[12]\.session/);
});

/** What a session begins and ends with, in a file that tells their order. */
const log = (line: string): Turn => ({
  tool: 'Bash',
  input: { command: `echo ${line} >> "$HOME/log"` },
});
const BUDGET = '$(echo "$ARGUMENTS" | grep -o "max-budget-usd [^ ]*" | cut -d" " -f2)';
const awaits = (line: string): Turn => ({
  tool: 'Bash',
  input: { command: `until grep -q "${line}" "$HOME/log"; do sleep 0.05; done` },
});
const bash = (command: string): Turn => ({ tool: 'Bash', input: { command } });
const DONE: Turn = { tool: 'mcp__ralph__done', input: { summary: 'Built.' } };

async function streaming(
  attempts: Readonly<Record<number, readonly StreamAttempt[]>>,
  config: string,
  options?: { isPlan: boolean },
): Promise<StreamProject> {
  const scene = await streamProject(options);
  const { project, write } = scene;
  writeFileSync(join(project.root, '.ralph/config.yaml'), config);
  await project.json('trust', '--yes');
  commitAll(project);
  for (const [id, steps] of Object.entries(attempts)) {
    write(id, steps);
    await project.json('add', `Task ${id}`);
  }
  return scene;
}

const logOf = ({ home }: TestProject): string[] => readFileSync(join(home, 'log'), 'utf8').trim().split('\n');

describe('the budget of a run', () => {
  const session = (id: number, cost_usd: number, ...waits: Turn[]): StreamAttempt => ({
    turns: [log(`begin ${id} ${BUDGET}`), ...waits, bash(`echo ${id} > ${id}.part`), log(`end ${id}`), DONE],
    report: null,
    cost_usd,
  });

  it('what those at work may still spend is promised to nobody else, and the run goes on when one ends', async () => {
    const { project, env } = await streaming(
      {
        1: [session(1, 1, awaits('begin 2'))],
        2: [session(2, 2, awaits('begin 3'))],
        3: [session(3, 1, awaits('begin 4'))],
        4: [session(4, 1)],
      },
      'limits: { session_budget_usd: 4 }\n',
    );
    const ran = await runWithin(['run', '--jobs', '3', '--budget', '8'], { cwd: project.root, env });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    // 8 - 4 - 4 leaves nothing for the third; 8 - 1 - 4 = 3; 8 - 1 - 2 - 3 = 2.
    const begun = logOf(project).filter((line) => line.startsWith('begin'));
    expect(begun.toSorted()).toEqual(['begin 1 4', 'begin 2 4', 'begin 3 3', 'begin 4 2']);
    expect(await shown(project, [1, 2, 3, 4])).toMatchObject(Array(4).fill(DONE_FREE));
  });

  it('a review has what its session left of what both were promised, and none begins on nothing', async () => {
    const review: StreamAttempt = {
      turns: [log(`review ${BUDGET}`), { tool: 'mcp__ralph__approve', input: {} }],
      report: null,
      cost_usd: 0,
    };
    const { project, env, write } = await streaming(
      { 1: [session(1, 3.5, awaits('begin 2'))], 2: [session(2, 1)] },
      'limits: { session_budget_usd: 4 }\nreview: { when: always }\n',
    );
    for (const id of [1, 2]) write(`${id}.review`, [review]);
    await runWithin(['run', '--jobs', '2', '--budget', '9'], { cwd: project.root, env });
    // 8 for the first and its review, 1 for the second, which spends it.
    const budgets = logOf(project).filter((line) => /^(begin|review)/.test(line));
    expect(budgets.toSorted()).toEqual(['begin 1 4', 'begin 2 1', 'review 4']);
  });

  it('no session begins on what rounding leaves of a budget', async () => {
    // 0.9 - 0.3 - 0.3 - 0.3 is a little more than nothing.
    const ids = [1, 2, 3, 4];
    const { project, env } = await streaming(
      Object.fromEntries(ids.map((id) => [id, [session(id, 0, awaits('begin 3'))]])),
      'limits: { session_budget_usd: 0.3 }\n',
    );
    await runWithin(['run', '--jobs', '4', '--budget', '0.9'], { cwd: project.root, env });
    const budgets = logOf(project).flatMap((line) => /begin \d (.+)/.exec(line)?.[1] ?? []);
    expect(budgets.map(Number).filter((usd) => usd < 0.29)).toEqual([]);
    expect(budgets).toHaveLength(4);
  });
});

it('a usage limit in one lane stops claims in all, and with --wait the run goes on after it', async () => {
  const until = Date.now() + 3 * 3_600_000;
  const works = (id: number, ...waits: Turn[]): StreamAttempt => ({
    turns: [log(`begin ${id}`), ...waits, bash(`echo ${id} > ${id}.part`), DONE],
    report: null,
  });
  const limited: StreamAttempt = {
    turns: [log('begin 1'), awaits('begin 2')],
    report: { error: 'rate_limit', status: 429 },
    limited_until: until,
  };
  const { project, env } = await streaming(
    { 1: [limited, works(1)], 2: [works(2, awaits('limit met'))], 3: [works(3)] },
    '',
    { isPlan: true },
  );
  const events: string[] = [];
  let passed = 0;
  const ran = await runWithin(['run', '--jobs', '2', '--wait', '--json'], {
    cwd: project.root,
    env,
    now: () => Date.now() + passed,
    onPrint: (text) => {
      const event = JSON.parse(text) as { kind: string; until: number; claim?: { task: { id: number } } };
      const { kind } = event;
      if (!['started', 'finished', 'waiting'].includes(kind)) return;
      events.push(`${kind} ${event.claim?.task.id ?? ''}`.trim());
      if (kind === 'finished') appendFileSync(join(project.home, 'log'), 'limit met\n');
      if (kind === 'waiting') passed += event.until - (Date.now() + passed) + 1;
    },
  });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(events.slice(0, 2).toSorted()).toEqual(['started 1', 'started 2']);
  expect(events.slice(2, 5)).toEqual(['finished 1', 'finished 2', 'waiting']);
  expect(events.slice(5).toSorted()).toEqual(['finished 1', 'finished 3', 'started 1', 'started 3']);
  expect(await shown(project, [1, 2, 3])).toMatchObject([DONE_FREE, DONE_FREE, DONE_FREE]);
});

describe('a run with three sessions at work that is ended from outside', () => {
  /** Also leaves a process in a session of its own, which no signal to a group reaches. */
  const announces = (id: number): Step =>
    shell(
      `setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $RALPH_SESSION_ID > "$HOME/${id}.part"; mv "$HOME/${id}.part" "$HOME/${id}.id"`,
    );
  const WAITS = shell('until [ -e "$HOME/go" ]; do sleep 0.05; done');
  const IDS = [1, 2, 3] as const;

  type Started = {
    child: ChildProcessByStdio<null, null, Readable>;
    ended: Promise<unknown[]>;
    markers: Marker[];
  };

  /** Answers when all three are at work. */
  async function start({ root, home }: TestProject): Promise<Started> {
    const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
    const args = [inject('ralph'), 'run', '--jobs', '3'];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(child, 'exit');
    const idFile = (id: number): string => join(home, `${id}.id`);
    await expect.poll(() => IDS.every((id) => existsSync(idFile(id)))).toBe(true);
    const markers = IDS.map((id): Marker => `RALPH_SESSION_ID=${readFileSync(idFile(id), 'utf8').trim()}`);
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
      for (const marker of markers) await killCarriers(marker);
    });
    expect(markers.map((marker) => findCarriers(marker).length > 1)).toEqual([true, true, true]);
    return { child, ended, markers };
  }

  const carriers = (markers: readonly Marker[]): number[] => markers.flatMap(findCarriers);

  /** Which slots are not free. */
  const slotsInUse = async ({ json }: TestProject): Promise<unknown[]> =>
    ((await json('slots', 'list')) as { slots: { use: { kind: string } }[] }).slots.filter(
      ({ use }) => use.kind !== 'free',
    );

  const waiting = (): Promise<Scene> =>
    tasks({
      ...Object.fromEntries(
        IDS.map((id) => [
          id,
          [
            [writesPart(id), announces(id), WAITS, done()],
            [writesPart(id), done()],
          ],
        ]),
      ),
      4: [[shell('echo 4 > four.txt'), done()]],
    });

  it('the first Ctrl-C lets all of them finish and land, and begins no other', async () => {
    const { project, branch } = await waiting();
    const { child, ended, markers } = await start(project);
    child.kill('SIGINT');
    // It says that it stops.
    await once(child.stderr, 'data');
    writeFileSync(join(project.home, 'go'), '');
    expect(await ended).toEqual([130, null]);
    expect(await shown(project, IDS)).toMatchObject(
      IDS.map(() => ({ ...DONE_FREE, sessions: { length: 1 } })),
    );
    expect(await shown(project, [4])).toMatchObject([{ status: 'pending', sessions: [] }]);
    const { commits, red } = replay(project.root, GATE, `ralph/${branch}`);
    expect([commits.length, red, carriers(markers), await slotsInUse(project)]).toEqual([3, [], [], []]);
  });

  it('the second Ctrl-C ends all of them, nothing is charged, and the next run does them all', async () => {
    const { project, branch } = await waiting();
    const { child, ended, markers } = await start(project);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await ended).toEqual([130, null]);
    expect([carriers(markers), await slotsInUse(project)]).toEqual([[], []]);
    const interrupted = {
      status: 'pending',
      attempts: 0,
      stuck_count: 0,
      sessions: [{ outcome: 'interrupted' }],
    };
    expect(await shown(project, IDS)).toMatchObject(IDS.map(() => interrupted));
    expect(await project.within('run', '--jobs', '3')).toMatchObject({ code: 0, stderr: '' });
    const { commits, red } = replay(project.root, GATE, `ralph/${branch}`);
    expect([commits.length, red]).toEqual([4, []]);
  });

  it('kill -9 leaves no process, and the next run settles each session by what it had said', async () => {
    const { project, branch } = await tasks({
      1: [[writesPart(1), done(), announces(1), WAITS], []],
      2: [[writesPart(2), announces(2), WAITS, done()], [done()]],
      3: [[writesPart(3), announces(3), WAITS, done()], [done()]],
    });
    const { child, ended, markers } = await start(project);
    const watcher = watcherOf(child.pid ?? 0);
    child.kill('SIGKILL');
    await ended;
    await expect.poll(() => carriers(markers)).toEqual([]);
    await expect.poll(() => isThere(watcher)).toBe(false);
    const ran = await project.within('run', '--jobs', '3');
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    const all = await shown(project, IDS);
    expect(all).toMatchObject(IDS.map(() => DONE_FREE));
    expect(all.map(({ sessions }) => sessions.map(({ outcome }) => outcome))).toEqual([
      ['done'],
      ['interrupted', 'done'],
      ['interrupted', 'done'],
    ]);
    const { commits, red } = replay(project.root, GATE, `ralph/${branch}`);
    expect([commits.length, red, await slotsInUse(project)]).toEqual([3, [], []]);
  });
});
