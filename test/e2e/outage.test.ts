// The API is away in the middle of a queue, and nobody is at the desk.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FIRST_PAUSE_MS } from '../../src/supervisor/pauses.ts';
import { runWithin } from '../support/ralph.ts';
import type { Turn } from '../support/scripted-model.ts';
import { type StreamAttempt, streamProject } from '../support/stream-client.ts';

/** What Claude Code reports of it: the row of a 503 in faults.ts. */
const AWAY: StreamAttempt = { turns: [], report: { error: 'server_error', status: 503 } };

const write = (id: number): Turn => ({
  tool: 'Bash',
  input: { command: `echo written > ${id}.txt`, description: 'x' },
});

const done = (id: number): StreamAttempt => ({
  turns: [write(id), { tool: 'mcp__ralph__done', input: { summary: `${id}.txt is there.` } }],
  report: null,
});

const TASKS = 10;

type Shown = { status: string; attempts: number; stuck_count: number; sessions: { outcome: string }[] };

it('a review over an outage is held again, and charges the task nothing', async () => {
  const { project, env, write: script } = await streamProject();
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'gates: [{ name: test, command: "test ! -e broken" }]\nreview: { when: always, model: haiku }\n',
  );
  await project.json('trust', '--yes');
  await project.json('add', 'Write 1.txt');
  script(1, [done(1)]);
  const approval: StreamAttempt = { turns: [{ tool: 'mcp__ralph__approve', input: {} }], report: null };
  script('1.review', [AWAY, AWAY, approval]);
  let passed = 0;
  let waits = 0;
  const ran = await runWithin(['run', '--json'], {
    cwd: project.root,
    env,
    now: () => Date.now() + passed,
    onPrint: (text) => {
      const { kind, until } = JSON.parse(text) as { kind: string; until: number };
      if (kind !== 'waiting') return;
      waits += 1;
      passed += until - (Date.now() + passed) + 1;
    },
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(waits).toBe(2);
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    attempts: 0,
    stuck_count: 0,
    questions: [],
    // The work was done once: only its review was held again.
    sessions: [{ outcome: 'done' }],
  });
}, 600_000);

it('a run over an outage does every task, charges none, and waits no longer than that and one pause', async () => {
  const { project, env, write: script } = await streamProject();
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'gates: [{ name: test, command: "test ! -e broken" }]\n',
  );
  await project.json('trust', '--yes');
  for (let id = 1; id <= TASKS; id += 1) {
    await project.json('add', `Write ${id}.txt`);
    // Three sessions in a row meet it: one at its second turn, two at their first.
    const outage = [{ ...AWAY, turns: [write(id)] }, AWAY, AWAY];
    script(id, [...(id === 2 ? outage : []), done(id)]);
  }
  // Whoever waits finds that the time has come.
  let passed = 0;
  const waits: number[] = [];
  const ran = await runWithin(['run', '--json'], {
    cwd: project.root,
    env,
    now: () => Date.now() + passed,
    onPrint: (text) => {
      const { kind, until } = JSON.parse(text) as { kind: string; until: number };
      if (kind !== 'waiting') return;
      const wait = until - (Date.now() + passed);
      waits.push(wait);
      passed += wait + 1;
    },
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const tasks: Shown[] = [];
  for (let id = 1; id <= TASKS; id += 1) tasks.push((await project.json('show', String(id))) as Shown);
  for (const task of tasks) expect(task).toMatchObject({ status: 'done', attempts: 0, stuck_count: 0 });
  expect(tasks[1]?.sessions.map(({ outcome }) => outcome)).toEqual([
    'interrupted',
    'interrupted',
    'interrupted',
    'done',
  ]);
  // The task that met it was tried again after each pause, and nothing else was held up: the outage is over after the third.
  expect(waits).toHaveLength(3);
  waits.forEach((wait, index) => {
    expect(wait).toBeLessThanOrEqual(FIRST_PAUSE_MS * 2 ** index);
  });
}, 600_000);
