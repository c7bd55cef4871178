import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { Stagnation } from '../../src/supervisor/stagnation.ts';
import { initialised, run, type TestProject } from '../support/ralph.ts';

/** An agent that writes the file that its task is to write, and nothing where there is none in its title. */
async function writing(config: string): Promise<TestProject> {
  const project = await initialised();
  const script = [
    'heading=$(grep "^## Your task: #" | head -1)',
    'name=$(echo "$heading" | grep -o "file[0-9]*.txt")',
    'id=$(echo "$heading" | grep -o "[0-9]*" | head -1)',
    'if [ -z "$name" ]; then echo "I do not know how. <task-failed>$id</task-failed>"; exit; fi',
    'echo hello > "$name"; echo "<TASK_DONE>"',
  ].join('\n');
  writeFileSync(join(project.home, 'agent.sh'), script);
  const command = JSON.stringify(['sh', join(project.home, 'agent.sh')]);
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    `agent: mute\nagents: { mute: { command: ${command}, protocol: sigils } }\n${config}`,
  );
  await project.json('trust', '--yes');
  return project;
}

it('three hopeless tasks of twenty keep none of the others from being done in the same run', async () => {
  const project = await writing('');
  for (const id of [1, 2, 3]) await project.json('add', `Hopeless ${id}`, '--priority', 'high');
  for (let id = 4; id <= 20; id++) await project.json('add', `Write file${id}.txt`);
  expect(await project.within('run')).toMatchObject({ code: 10 });
  const tasks = (await project.json('list')) as { id: number; status: string; stuck_count: number }[];
  expect(tasks.filter(({ status }) => status === 'done').map(({ id }) => id)).toEqual(
    Array.from({ length: 17 }, (_, index) => index + 4),
  );
  expect(tasks.slice(0, 3)).toMatchObject(Array(3).fill({ status: 'failed', stuck_count: 3 }));
});

it('a run whose output goes to a file in the project commits it never, and sees no progress in it', async () => {
  const project = await writing('limits: { stuck: 9, stagnation: 2 }\n');
  await project.json('add', 'Write file1.txt');
  await project.json('add', 'Hopeless');
  const options = {
    cwd: project.root,
    env: { HOME: project.home, RALPH_SANDBOX: 'off', PATH: process.env['PATH'] ?? '' },
  };
  const line = `exec "${process.execPath}" "${inject('ralph')}" run > run.log 2>&1`;
  expect(await run('sh', ['-c', line], options)).toMatchObject({ code: 11 });
  const log = readFileSync(join(project.root, 'run.log'), 'utf8');
  expect(log).toContain('Every ready task was tried, and its sessions changed nothing: #2.');
  const { stdout } = await run('git', ['log', '--name-only', '--format='], options);
  expect(stdout.trim()).toBe('file1.txt');
  expect((await run('git', ['status', '--porcelain'], options)).stdout).toContain('?? run.log');
});

describe('tasks without progress', () => {
  const passedOverAfter = (
    limit: number,
    ...ended: [task: number, isProgress: boolean | null][]
  ): number[] => {
    const stagnation = new Stagnation(limit);
    for (const [task, isProgress] of ended) stagnation.sessionEnded(task, isProgress);
    return stagnation.passedOver();
  };

  it('a run passes over a task once so many of its sessions in a row changed nothing, whatever others did in between', () => {
    expect(passedOverAfter(2, [1, false], [2, true])).toEqual([]);
    expect(passedOverAfter(2, [1, false], [2, true], [1, false], [2, true])).toEqual([1]);
    expect(passedOverAfter(2, [1, false], [1, true], [1, false])).toEqual([]);
  });

  it('a run passes over tried tasks once so many sessions in a row changed nothing, until one does', () => {
    expect(passedOverAfter(3, [1, false], [1, false], [1, false], [2, false])).toEqual([1, 2]);
    expect(passedOverAfter(3, [1, false], [2, false], [3, false])).toEqual([1, 2, 3]);
    expect(passedOverAfter(3, [1, false], [2, false], [3, false], [4, true])).toEqual([]);
  });

  it('a run passes over no task for a fault of the infrastructure', () => {
    expect(passedOverAfter(1, [1, null], [2, null])).toEqual([]);
  });

  it('a run no longer passes over a task that failed and that a person queued again', () => {
    const stagnation = new Stagnation(1);
    stagnation.sessionEnded(1, false);
    stagnation.forget(1);
    expect(stagnation.passedOver()).toEqual([]);
  });
});
