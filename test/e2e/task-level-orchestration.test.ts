// "Task-Level Orchestration", its acceptance criteria one by one. A specification is a feature, build mode is `ralph run`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../scripts/demo/script.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

type Sessions = Readonly<Record<string, readonly (readonly Step[])[]>>;

const MIRROR = 'mirror: implementation.json\n';

const implementation = (root: string): { specs: { id: string; status: string; tasks: object[] }[] } =>
  JSON.parse(readFileSync(join(root, 'implementation.json'), 'utf8'));

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
  it('given a spec with 3 tasks, when running build mode, then Ralph spawns 3 separate agent sessions, one per task', async () => {
    const work = [shell('echo $PPID >> ~/pids'), done()];
    const { project, promptOf } = await specs({ 1: [work], 2: [work], 3: [work] }, '', [
      'One',
      'Two',
      'Three',
    ]);
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    const processes = readFileSync(join(project.home, 'pids'), 'utf8').trim().split('\n');
    expect(new Set(processes).size).toBe(3);
    for (const [id, title] of [
      [1, 'One'],
      [2, 'Two'],
      [3, 'Three'],
    ] as const)
      expect(promptOf(id, 0)).toContain(`## Your task: #${id} ${title}`);
  });
});

describe('given a task completes successfully, when quality gates pass', () => {
  it('given a task completes successfully, when quality gates pass, then its status updates to "completed" in implementation.json', async () => {
    const { project, write } = await specs(
      { 1: [[done()]] },
      `${MIRROR}gates: [{ name: test, command: "true" }]\n`,
      ['Add avatarUrl', 'Create the endpoint'],
    );
    write(2, [[shell(`cp '${project.root}/implementation.json' ~/before.json`), done()]]);
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    const before = JSON.parse(readFileSync(join(project.home, 'before.json'), 'utf8'));
    expect(before.specs[0]).toMatchObject({
      name: 'User Avatar Upload',
      status: 'in_progress',
      tasks: [
        { description: 'Add avatarUrl', status: 'completed' },
        { description: 'Create the endpoint', status: 'pending' },
      ],
    });
    expect(implementation(project.root).specs[0]).toMatchObject({
      status: 'completed',
      tasks: [{ status: 'completed' }, { status: 'completed' }],
    });
  });
});

describe('given quality gates fail after a task, when retry count < max', () => {
  it('given quality gates fail after a task, when retry count < max, then Ralph spawns a new agent with the failure context injected', async () => {
    const { project, promptOf } = await specs(
      {
        1: [
          [shell('touch broken.txt'), done()],
          [shell('rm broken.txt'), done()],
        ],
      },
      'max_attempts: 3\ngates: [{ name: test, command: "test ! -e broken.txt || { echo it is $(echo broken); exit 1; }" }]\n',
      ['Create S3 upload endpoint'],
    );
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
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
  it('given all tasks in a spec complete, when build mode continues, then Ralph commits with the spec name and moves to the next spec', async () => {
    const write = (name: string) => [shell(`echo ${name} > ${name}.txt`), done(`Wrote ${name}.`)];
    const { project, git } = await specs(
      { 1: [write('a')], 2: [write('b')], 3: [write('c')] },
      'commit: feature\n',
      ['Add avatarUrl', 'Create the endpoint'],
      ['Send a bill'],
    );
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(git('log', '--reverse', '--name-only', '--format=%n%s').trim().replace(/\n+/g, '\n')).toBe(
      'Start\nUser Avatar Upload\nPROGRESS.md\na.txt\nb.txt\nBilling\nPROGRESS.md\nc.txt',
    );
    expect(readFileSync(join(project.root, 'PROGRESS.md'), 'utf8')).toMatch(
      /## User Avatar Upload[\s\S]*Create the endpoint: Wrote b\.[\s\S]*## Billing/,
    );
  });
});

describe('given plan mode runs, when specs exist', () => {
  it('given plan mode runs, when specs exist, then implementation.json is created with the extracted tasks, and the spec is as it was', async () => {
    const { project } = await scripted(
      {
        plan: [
          [
            {
              verb: 'create_feature',
              args: {
                name: 'avatar',
                display_name: 'User Avatar Upload',
                spec_file: 'specs/avatar.md',
                priority: 1,
                acceptance_criteria: ['Users can upload JPG/PNG up to 5MB'],
              },
            },
            {
              verb: 'create_tasks',
              args: {
                tasks: [
                  { title: 'Add avatarUrl to the schema', feature: 'avatar' },
                  { title: 'Create the upload endpoint', feature: 'avatar', depends_on: ['@1'] },
                ],
              },
            },
          ],
        ],
      },
      MIRROR,
    );
    mkdirSync(join(project.root, 'specs'));
    const spec = '# User avatars\n\nPeople want to show their face.\n';
    writeFileSync(join(project.root, 'specs/avatar.md'), spec);
    expect(await project.within('plan', '--yes')).toMatchObject({ code: 0 });
    expect(implementation(project.root).specs).toMatchObject([
      {
        file: 'specs/avatar.md',
        name: 'User Avatar Upload',
        priority: 1,
        acceptanceCriteria: ['Users can upload JPG/PNG up to 5MB'],
        tasks: [
          { description: 'Add avatarUrl to the schema', status: 'pending' },
          { description: 'Create the upload endpoint', status: 'pending' },
        ],
      },
    ]);
    expect(readFileSync(join(project.root, 'specs/avatar.md'), 'utf8')).toBe(spec);
  });
});

describe('given implementation.json exists, when build mode starts', () => {
  it('given implementation.json exists, when build mode starts, then Ralph reads it without LLM parsing', async () => {
    const { project, promptOf } = await scripted({ 1: [[done()]] }, MIRROR);
    const file = join(project.root, 'implementation.json');
    const known = {
      version: 1,
      updatedAt: '2026-01-17T10:30:00Z',
      updatedBy: 'plan-mode',
      specs: [
        {
          id: 'user-avatar-upload',
          file: 'specs/user-avatar-upload.md',
          name: 'User Avatar Upload',
          priority: 1,
          status: 'in_progress',
          context: 'Use the S3 client in src/lib/aws.ts.',
          tasks: [
            { id: 'user-avatar-upload-1', description: 'Add avatarUrl field', status: 'completed' },
            {
              id: 'user-avatar-upload-2',
              description: 'Create S3 upload endpoint',
              status: 'pending',
              acceptanceCriteria: ['Users can upload JPG/PNG up to 5MB'],
            },
          ],
        },
      ],
    };
    writeFileSync(file, JSON.stringify(known));
    const tasks = (await project.json('list')) as { id: number; title: string; status: string }[];
    expect(tasks).toMatchObject([
      { title: 'Add avatarUrl field', status: 'done' },
      { title: 'Create S3 upload endpoint', status: 'pending' },
    ]);
    const pending = tasks[1]?.id ?? 0;
    writeFileSync(join(project.home, 'script', `${pending}.json`), JSON.stringify([[done()]]));
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(promptOf(pending, 0)).toContain('Use the S3 client in src/lib/aws.ts.');
    expect(promptOf(pending, 0)).toContain('- [ ] Users can upload JPG/PNG up to 5MB');
    expect(implementation(project.root).specs).toMatchObject([
      {
        id: 'user-avatar-upload',
        status: 'completed',
        tasks: [{ id: 'user-avatar-upload-1' }, { status: 'completed' }],
      },
    ]);
    expect(existsSync(file)).toBe(true);
  });
});
