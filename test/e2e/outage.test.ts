// The API is away in the middle of a queue, and nobody is at the desk.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FIRST_PAUSE_MS } from '../../src/supervisor/pauses.ts';
import { claudeEnv } from '../support/claude.ts';
import { initialised, runWithin } from '../support/ralph.ts';
import { FINISHED, serveModel, type Turn, taskOf } from '../support/scripted-model.ts';

/** One before the task that meets it, and one after. */
const TASKS = 3;

type Shown = { status: string; attempts: number; stuck_count: number; sessions: { outcome: string }[] };

it('a review over an outage is held again, and charges the task nothing', async () => {
  const project = await initialised();
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'gates: [{ name: test, command: "test ! -e broken" }]\nreview: { when: always, model: haiku }\n',
  );
  await project.json('trust', '--yes');
  await project.json('add', 'Write 1.txt');
  const reviews: ('away' | 'answered')[] = [];
  const model = await serveModel((asked, said): Turn => {
    const isReview = asked.tools?.some(({ name }) => name === 'mcp__ralph__approve') ?? false;
    if (!isReview) {
      const file_path = join(project.root, '1.txt');
      const done: Turn = { tool: 'mcp__ralph__done', input: { summary: '1.txt is there.' } };
      return [{ tool: 'Write', input: { file_path, content: '1\n' } }, done][said] ?? FINISHED;
    }
    reviews.push(reviews.length < 2 ? 'away' : 'answered');
    if (reviews.at(-1) === 'away') return { status: 503, headers: { 'x-should-retry': 'false' } };
    return said === 0 ? { tool: 'mcp__ralph__approve', input: {} } : FINISHED;
  });
  onTestFinished(() => model.close());
  let passed = 0;
  let waits = 0;
  const ran = await runWithin(['run', '--json'], {
    cwd: project.root,
    env: claudeEnv(project, model),
    now: () => Date.now() + passed,
    onPrint: (text) => {
      const { kind, until } = JSON.parse(text) as { kind: string; until: number };
      if (kind !== 'waiting') return;
      waits += 1;
      passed += until - (Date.now() + passed) + 1;
    },
  });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect([waits, reviews.slice(0, 3)]).toEqual([2, ['away', 'away', 'answered']]);
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
  const project = await initialised();
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    'gates: [{ name: test, command: "test ! -e broken" }]\n',
  );
  await project.json('trust', '--yes');
  for (let id = 1; id <= TASKS; id += 1) await project.json('add', `Write ${id}.txt`);
  // Three sessions in a row meet it: one at its second turn, two at their first.
  let refusals = 3;
  const model = await serveModel((asked, said): Turn => {
    const id = taskOf(asked);
    if (id === 2 && said > 0 && refusals === 3) refusals -= 1;
    else if (id === 2 && refusals > 0 && refusals < 3) refusals -= 1;
    else {
      const file_path = join(project.root, `${id}.txt`);
      const done: Turn = { tool: 'mcp__ralph__done', input: { summary: `${id}.txt is there.` } };
      return [{ tool: 'Write', input: { file_path, content: `${id}\n` } }, done][said] ?? FINISHED;
    }
    return { status: 503, headers: { 'x-should-retry': 'false' } };
  });
  onTestFinished(() => model.close());
  // Whoever waits finds that the time has come.
  let passed = 0;
  const waits: number[] = [];
  const ran = await runWithin(['run', '--json'], {
    cwd: project.root,
    env: claudeEnv(project, model),
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
