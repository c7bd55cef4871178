// An agent removes the repository, and with it Ralph's state: nothing that was done is lost, and nothing is paid for twice.
// In place: a slot has a git directory of its own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProject } from '../../src/host/project.ts';
import { sessionDir } from '../../src/host/session-folder.ts';
import type { TestProject } from '../support/ralph.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

type Shown = {
  status: string;
  sessions: { id: string; outcome: string }[];
  questions: { question: string }[];
};

const show = async (project: TestProject, id: number): Promise<Shown> =>
  (await project.json('show', String(id))) as Shown;

async function threeTasks(removal: string): Promise<ScriptedProject> {
  const scene = await scripted(
    {
      1: [[shell('echo one > one.txt'), done('One.')]],
      2: [[shell(`echo two > two.txt; ${removal}`), done('Two.')]],
      3: [[shell('echo three > three.txt'), done('Three.')]],
    },
    'in_place: true\n',
  );
  for (const title of ['One', 'Two', 'Three']) await scene.project.json('add', title);
  return scene;
}

describe('a session that removes the repository', () => {
  it('after a session that replaces the repository the queue is unchanged, and no other session begins', async () => {
    const { project } = await threeTasks('rm -rf .git && git init -q');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 10, stderr: '' });
    expect(ran.stdout).toMatch(/#2 removed Ralph's state; the queue was restored/);
    expect(ran.stdout).toContain('The repository has no commit yet');
    expect(await show(project, 1)).toMatchObject({ status: 'done', sessions: [{ outcome: 'done' }] });
    expect(await show(project, 2)).toMatchObject({ status: 'pending', attempts: 0 });
    expect(await show(project, 3)).toMatchObject({ status: 'pending', sessions: [] });
    expect(readFileSync(join(project.root, 'two.txt'), 'utf8')).toBe('two\n');
  });

  it('after a session that removes the repository the queue is restored in place, and no other session begins', async () => {
    const { project } = await threeTasks('rm -rf .git');
    expect(await project.within('run')).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('The git directory of this project was removed.'),
    });
    expect(await show(project, 1)).toMatchObject({ status: 'done' });
    expect(await show(project, 2)).toMatchObject({ status: 'pending' });
    expect(await show(project, 3)).toMatchObject({ status: 'pending', sessions: [] });
    expect(findProject(project.root).stateDir).toBe(join(project.root, '.git/ralph'));
    expect(existsSync(join(project.root, '.ralph/state'))).toBe(false);
  });

  it('a session that removes the repository keeps its prompt and its stream', async () => {
    const { project } = await threeTasks('rm -rf .git && git init -q');
    await project.within('run');
    const { sessions } = await show(project, 2);
    const folder = sessionDir(findProject(project.root).stateDir, sessions[0]?.id ?? '');
    expect(readFileSync(join(folder, 'prompt.md'), 'utf8')).toContain('Two');
    expect(readFileSync(join(folder, 'stream.jsonl'), 'utf8')).toContain('done: Two.');
  });
});

/** The agent is the parent of the shell, and the run the parent of the agent. */
const KILL_RUN = "kill -9 $(awk '/^PPid/ { print $2 }' /proc/$PPID/status)";

describe('a session that removes the repository, and whose run is killed at once', () => {
  it('a queue that was removed with a killed run refuses to start empty, and comes back from the journal', async () => {
    const { project, git } = await scripted(
      {
        1: [[shell('echo one > one.txt'), done('One.')]],
        2: [[shell(`rm -rf .git && git init -q && ${KILL_RUN}`), { exit: 1 }], [done('Two.')]],
      },
      'in_place: true\n',
    );
    for (const title of ['One', 'Two']) await project.json('add', title);
    await project.ralph('run');
    const refusal = {
      code: 1,
      stderr:
        'ralph: The queue is empty, but .ralph/memory records 1 session; bring the tasks back with ralph import .ralph/memory, or start a new queue with: ralph init --new-queue\n',
    };
    for (const command of [['run'], ['add', 'Three'], ['status']])
      expect(await project.within(...command)).toMatchObject(refusal);
    expect(await project.json('import', '.ralph/memory')).toMatchObject({ sessions: 1, tasks: 1 });
    expect(await show(project, 1)).toMatchObject({ status: 'done', sessions: [{ outcome: 'done' }] });
    await project.json('add', 'Two');
    git('add', '-A');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'Begin again');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(await show(project, 2)).toMatchObject({ status: 'done' });
  });
});
