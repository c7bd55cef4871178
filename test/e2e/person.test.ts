// A few runs beside a person at work. `npm run person` makes fifty of them, PERSON_SEED others.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { type Random, seeded } from '../../scripts/chaos/random.ts';
import type { Step } from '../../scripts/demo/script.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';
import { Person, SHARED } from './person.ts';

const RUNS = Number(process.env['PERSON_RUNS'] ?? 4);
const SEED = Number(process.env['PERSON_SEED'] ?? 16);
const RUNS_OF_A_PROJECT = 10;
const MINUTE = 60_000;

/** Far from each other and from the person's: nobody changes the same lines. */
const lineOf = (task: number): number => 10 + 4 * task;

const workOf = (task: number, words: string): string =>
  `sed -i "${lineOf(task)}s/.*/TASK ${task} ${words}/" ${SHARED}; echo "${words}" > task-${task}.txt`;

/** In their own checkout, whatever the folder of the session. */
const asPerson = (file: string): Step =>
  shell(`if [ -e "$HOME/${file}" ]; then sh "$HOME/${file}"; rm "$HOME/${file}"; fi`);

const partial = { verb: 'partial', args: { summary: 'Half.', remaining: 'Half.' } } satisfies Step;

/** One that does not finish the task, or two; then one that does. */
function attemptsOf(task: number, random: Random): Step[][] {
  const begun = [shell(workOf(task, 'half')), asPerson('in-session')];
  const unfinished: Step[][] = [
    [...begun, { verb: 'ask', args: { question: 'Which?', blocking: true } }, partial],
    [...begun, partial],
    [shell(workOf(task, 'BAD')), asPerson('in-session'), done()],
    [...begun, { verb: 'stuck', args: { reason: 'No idea.' } }],
  ];
  const last = random.chance(0.3)
    ? [shell(`${workOf(task, 'good')}; git add -A; git commit -qm Mine`), done()]
    : [shell(workOf(task, 'good')), asPerson('in-session'), done()];
  return [...random.shuffled(unfinished).slice(0, random.between(0, 2)), last];
}

/** Gates have a home of their own. */
const gateIn = (home: string): string =>
  `if [ -e ${home}/hang ]; then touch ${home}/here; exec sleep 600; fi; if [ -e ${home}/in-gate ]; then sh ${home}/in-gate; rm ${home}/in-gate; fi; ! grep -qs BAD task-*.txt`;

async function projectOf(random: Random): Promise<ScriptedProject> {
  const tasks = Array.from({ length: RUNS_OF_A_PROJECT + 2 }, (_, index) => index + 1);
  const attempts = Object.fromEntries(tasks.map((task) => [task, attemptsOf(task, random)]));
  const made = await scripted(attempts);
  const { git, project } = made;
  await made.config(`gates: [{ name: test, command: ${JSON.stringify(gateIn(project.home))} }]\n`);
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  const lines = Array.from({ length: lineOf(tasks.length) + 5 }, (_, index) => `line ${index + 1}\n`);
  writeFileSync(join(project.root, SHARED), lines.join(''));
  writeFileSync(join(project.root, 'tracked.txt'), 'tracked\n');
  git('add', SHARED, 'tracked.txt');
  git('commit', '-qm', 'Begin');
  for (const task of tasks) await project.json('add', `Task ${task}`);
  return made;
}

/** Interrupted as soon as a gate runs, by Ctrl-C pressed twice or by a kill; to its end where none runs. */
async function interrupted({ project }: ScriptedProject, random: Random): Promise<void> {
  const { root, home } = project;
  const [hang, here] = [join(home, 'hang'), join(home, 'here')];
  writeFileSync(hang, '');
  const env = { HOME: home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] };
  const child: ChildProcess = spawn(process.execPath, [inject('ralph'), 'run', '--once'], {
    cwd: root,
    env,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  await expect.poll(() => existsSync(here) || child.exitCode !== null, { interval: 20 }).toBe(true);
  for (const signal of random.chance(0.5) ? (['SIGINT', 'SIGTERM'] as const) : (['SIGKILL'] as const))
    child.kill(signal);
  await ended;
  for (const file of [hang, here]) rmSync(file, { force: true });
}

async function round(seed: number, runs: number): Promise<void> {
  const random = seeded(seed);
  const made = await projectOf(random);
  const person = new Person(made, random);
  for (let run = 0; run < runs; run++) {
    person.actNow(3);
    if (random.chance(0.5)) person.actLater('in-gate', [person.anyAct()]);
    if (random.chance(0.5)) person.actLater('in-session', person.writeAndCommit());
    const kind = random.between(0, 9);
    if (kind < 3) await interrupted(made, random);
    else await made.project.within('run', '--once');
    person.settle();
    person.expectUntouched();
    for (const { id } of await openQuestions(made))
      if (random.chance(0.7)) await made.project.json('answer', String(id), 'Go on.');
  }
  await finishAll(made, person);
}

async function finishAll(made: ScriptedProject, person: Person): Promise<void> {
  const { project, git } = made;
  for (let rounds = 0; rounds < 4; rounds++) {
    for (const { id } of await openQuestions(made)) await project.json('answer', String(id), 'Go on.');
    await project.within('run', '--max-sessions', '1');
    person.expectUntouched();
  }
  const tasks = (await project.json('list', '--status', 'done')) as { id: number }[];
  expect(tasks.length).toBeGreaterThan(0);
  // Their branch waits for it while they have changes of their own in the same file.
  const trunk = `ralph/${git('branch', '--show-current').trim()}`;
  const shared = git('show', `${trunk}:${SHARED}`).split('\n');
  for (const { id } of tasks) {
    expect(shared[lineOf(id) - 1]).toBe(`TASK ${id} good`);
    expect(git('show', `${trunk}:task-${id}.txt`)).toBe('good\n');
    expect(git('log', '--format=%H', trunk, `--grep=^Ralph-Task: ${id}$`).trim().split('\n')).toHaveLength(1);
  }
}

async function openQuestions({ project }: ScriptedProject): Promise<{ id: number }[]> {
  const waiting = (await project.json('list', '--status', 'needs_input')) as { id: number }[];
  const shown = await Promise.all(waiting.map(({ id }) => project.json('show', String(id))));
  return (shown as { questions: { id: number; answer: string | null }[] }[]).flatMap(({ questions }) =>
    questions.filter(({ answer }) => answer === null),
  );
}

const rounds = Array.from({ length: Math.ceil(RUNS / RUNS_OF_A_PROJECT) }, (_, index) => index);

it.each(rounds)(
  'a person who edits, stages and commits meanwhile finds all they wrote, and none of it in a commit of a task (%i)',
  (index) => round(SEED + index, Math.min(RUNS_OF_A_PROJECT, RUNS - index * RUNS_OF_A_PROJECT)),
  RUNS_OF_A_PROJECT * 3 * MINUTE,
);
