// "Task-Level Orchestration", its acceptance criteria one by one. A specification is a feature, build mode is `ralph run`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../scripts/demo/step.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted.ts';

type Sessions = Readonly<Record<string, readonly (readonly Step[])[]>>;

/** Two specifications; `tasks` are those of the first, and then of the second. */
async function specs(sessions: Sessions, config: string, ...tasks: string[][]): Promise<ScriptedProject> {
  const made = await scripted(sessions, config);
  writeFileSync(
    join(made.project.root, '.ralph/features.yaml'),
    'features: [{ name: avatar, display_name: User Avatar Upload, priority: 1 }, { name: billing, display_name: Billing, priority: 2 }]\n',
  );
  for (const [index, titles] of tasks.entries())
    for (const title of titles)
      await made.project.json('add', title, '--feature', ['avatar', 'billing'][index] ?? '');
  return made;
}

describe('given a spec with 3 tasks, when running build mode', () => {
  it('then Ralph spawns 3 separate agent sessions, one per task', async () => {
    const work = [shell('echo $PPID >> ../pids'), done()];
    const { project, promptOf } = await specs({ 1: [work], 2: [work], 3: [work] }, '', [
      'One',
      'Two',
      'Three',
    ]);
    expect(await project.ralph('run')).toMatchObject({ code: 0, stderr: '' });
    const processes = readFileSync(join(project.root, '../pids'), 'utf8').trim().split('\n');
    expect(new Set(processes).size).toBe(3);
    for (const [id, title] of [
      [1, 'One'],
      [2, 'Two'],
      [3, 'Three'],
    ] as const)
      expect(promptOf(id, 0)).toContain(`## Your task: #${id} ${title}`);
  });
});

describe('given quality gates fail after a task, when retry count < max', () => {
  it('then Ralph spawns a new agent with the failure context injected', async () => {
    const { project, promptOf } = await specs(
      {
        1: [
          [shell('touch broken.txt'), done()],
          [shell('rm broken.txt'), done()],
        ],
      },
      'max_attempts: 3\ngates: [{ name: test, command: "test ! -e broken.txt || { echo it is broken; exit 1; }" }]\n',
      ['Create S3 upload endpoint'],
    );
    expect(await project.ralph('run')).toMatchObject({ code: 0, stderr: '' });
    expect(promptOf(1, 0)).not.toContain('it is broken');
    expect(promptOf(1, 1)).toContain('it is broken');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      attempts: 1,
      sessions: [{ outcome: 'gate_failed' }, { outcome: 'done' }],
    });
  });
});

describe('given all tasks in a spec complete, when build mode continues', () => {
  it('then Ralph commits with the spec name and moves to the next spec', async () => {
    const write = (name: string) => [shell(`echo ${name} > ${name}.txt`), done(`Wrote ${name}.`)];
    const { project, git } = await specs(
      { 1: [write('a')], 2: [write('b')], 3: [write('c')] },
      'commit: feature\n',
      ['Add avatarUrl', 'Create the endpoint'],
      ['Send a bill'],
    );
    expect(await project.ralph('run')).toMatchObject({ code: 0, stderr: '' });
    expect(git('log', '--reverse', '--name-only', '--format=%n%s').trim().replace(/\n+/g, '\n')).toBe(
      'User Avatar Upload\nPROGRESS.md\na.txt\nb.txt\nBilling\nPROGRESS.md\nc.txt',
    );
    expect(readFileSync(join(project.root, 'PROGRESS.md'), 'utf8')).toMatch(
      /## User Avatar Upload[\s\S]*Create the endpoint: Wrote b\.[\s\S]*## Billing/,
    );
  });
});
