import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { databasePath, findProject } from '../../../src/host/project.ts';
import { sessionDir, streamFile } from '../../../src/host/session-folder.ts';
import { closeQueue, openQueue } from '../../../src/queue/queue.ts';
import { startRun } from '../../../src/queue/sessions/runs.ts';
import { claim } from '../../../src/queue/tasks/claim.ts';
import { initialised, type TestProject } from '../../support/ralph.ts';

/** An agent that changes a file and prints the lines of the file `N.txt`, N being the number of its session. */
async function printing(...sessions: string[]): Promise<TestProject> {
  const project = await initialised();
  sessions.forEach((text, index) => {
    writeFileSync(join(project.home, `${index + 1}.txt`), text);
  });
  const count = 'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; cat >/dev/null; cat $n.txt';
  const told = 'echo "$RALPH_MODEL $RALPH_MAX_TURNS $RALPH_BUDGET_USD $RALPH_EFFORT" >> told.txt';
  const home = JSON.stringify(project.home);
  const command = JSON.stringify(['sh', '-c', `date +%N > work.txt; cd ${home}; ${told}; ${count}`]);
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    `agent: mute\nagents: { mute: { command: ${command}, protocol: sigils } }\n`,
  );
  await project.json('trust', '--yes');
  return project;
}

describe('an agent that reports by sigils', () => {
  it('either form of the sigil means done, and the text before it is the summary', async () => {
    const project = await printing('It works now.\n<task-done>1</task-done>\n', 'Also.\n<TASK_DONE>\n');
    await project.json('add', 'One');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.json('show', '1')).toMatchObject({ receipt: { summary: 'It works now.' } });
    expect(await project.json('show', '2')).toMatchObject({ receipt: { summary: 'Also.' } });
  });

  it('a sigil counts anywhere on a line of the last text, and the text around it is the summary', async () => {
    const project = await printing('All tests pass. <task-done> #1 </task-done> Bye.\n\n12 tokens used\n');
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.json('show', '1')).toMatchObject({
      receipt: { summary: 'All tests pass.  Bye.' },
      comments: [],
    });
  });

  it('a sigil that does not count is told to the person and to the next session', async () => {
    const log = Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join('');
    const project = await printing(
      '<task-done>7</task-done>\n',
      `<TASK_DONE>\n${log}`,
      '<task-failed>1</task-failed> No.\n<task-done>1</task-done>\n<task-done>1</task-done>\n',
    );
    await project.json('add', 'One');
    const notices = [
      'It spoke of task 7, but was given task 1.',
      'It printed <TASK_DONE> before its last text, where a tag does not count.',
      'It printed <task-failed>1</task-failed> before <task-done>1</task-done>; the last one counts.',
      'It printed <task-done>1</task-done> more than once; it counts once.',
    ];
    const prompts: string[] = [];
    let stdout = '';
    for (let run = 1; run <= 3; run += 1) {
      prompts.push((await project.within('prompt', '1')).stdout);
      stdout += (await project.within('run', '--once')).stdout;
    }
    for (const notice of notices) expect(stdout).toContain(`! not believed: ${notice}\n`);
    expect(prompts[1]).toContain(notices[0]);
    expect(prompts[2]).toContain(notices[1]);
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', stuck_count: 2 });
  });

  it('what an agent quotes, echoes or reads aloud does not close its task', async () => {
    const event = (type: string, content: object) => `${JSON.stringify({ type, message: { content } })}\n`;
    const tag = '<task-done>1</task-done>';
    const project = await printing(
      `> ${tag}\nI would print \`${tag}\`.\n~~~\n${tag}\n~~~\n`,
      event('user', [{ type: 'tool_result', content: tag }]) +
        event('assistant', [{ type: 'text', text: 'Hm.' }]),
      event('assistant', [{ type: 'text', text: 'Soon.' }]) +
        `${JSON.stringify({ type: 'result', result: `Ready: ${tag}` })}\n`,
    );
    await project.json('add', tag);
    const { stdout } = await project.within('run');
    expect(stdout).toContain(
      `not believed: It printed ${tag} in a quotation or in code, where a tag does not count.`,
    );
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      stuck_count: 2,
      receipt: { summary: 'Ready:' },
    });
  });

  it('an agent that sees no way on ends the run, and a person is told where to look', async () => {
    const project = await printing('No key, no network. <promise>FAILURE</promise>\n', '<TASK_DONE>\n');
    await project.json('add', 'One');
    await project.json('add', 'Two');
    expect(await project.within('run')).toMatchObject({
      code: 10,
      stdout: expect.stringContaining(
        'The agent of task 1 says that nothing can go on, whatever is tried. Look at what it said: ralph show 1. Then run ralph run again.',
      ),
    });
    expect(await project.json('list')).toMatchObject([
      { status: 'pending', stuck_count: 1 },
      { status: 'pending', stuck_count: 0 },
    ]);
    expect(await project.json('show', '1')).toMatchObject({
      comments: [{ body: 'Stuck: No key, no network.' }],
    });
  });

  it('Ralph believes that everything is complete only if nothing else is open', async () => {
    const complete = '<promise>COMPLETE</promise>\n';
    const project = await printing(complete, '<TASK_DONE>\n', complete);
    await project.json('add', 'One');
    await project.json('add', 'Two');
    const { stdout, code } = await project.within('run');
    expect(stdout).toContain('It said that everything is complete, but 1 other task is open.');
    expect(code).toBe(0);
    expect(await project.json('list')).toMatchObject([
      { status: 'done', stuck_count: 1 },
      { status: 'done' },
    ]);
  });

  it('an agent can report by sigils that it failed or is blocked', async () => {
    const project = await printing(
      'No access.\n<task-failed>1</task-failed>\n',
      '<task-failed>1</task-failed>\nNo luck.\n',
      '<TASK_BLOCKED reason="the vendor">\n',
    );
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 10 });
    expect(await project.json('show', '1')).toMatchObject({
      status: 'blocked',
      stuck_count: 2,
      blocked_by: 'the vendor',
      comments: [{ body: 'Stuck: No access.' }, { body: 'Stuck: No luck.' }, {}],
    });
  });

  it('what an agent reported counts, even if its supervisor was killed before it could record that', async () => {
    const project = await printing();
    await project.json('add', 'One');
    const { stateDir } = findProject(project.root);
    const queue = await openQueue(databasePath(stateDir));
    onTestFinished(() => closeQueue(queue));
    const run_id = await startRun(queue, { pid: 2 ** 30, process_started: null });
    await claim(queue, { run_id, session_id: 'killed' });
    mkdirSync(sessionDir(stateDir, 'killed'), { recursive: true });
    writeFileSync(streamFile(sessionDir(stateDir, 'killed')), 'No way.\n<task-failed>1</task-failed>\n');
    expect(await project.within('run', '--max-sessions', '0')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.json('show', '1')).toMatchObject({
      stuck_count: 1,
      comments: [{ body: 'Stuck: No way.' }],
    });
  });

  it('characters that cannot be stored are dropped from the text of a sigil', async () => {
    const project = await printing('It \0works.\n<TASK_DONE>\n');
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0, stderr: '' });
    expect(await project.json('show', '1')).toMatchObject({ receipt: { summary: 'It works.' } });
  });

  it("an agent may ask by a sigil for a model on the project's ladder, and is told which one it gets", async () => {
    const project = await printing(
      '<next-model>opus</next-model>\n<task-failed>1</task-failed>\n',
      '<next-model>no-such-model</next-model>\n<task-failed>1</task-failed>\n',
      '<TASK_DONE>\n',
    );
    await project.json('add', 'One', '--effort', 'high');
    const { stdout } = await project.within('run', '--budget', '1.5');
    const shown = [...stdout.matchAll(/^▶.* (\w+)$/gm)].map(([, model]) => model);
    expect(shown).toEqual(['haiku', 'opus', 'opus']);
    // The agent was told what the screen says, and what it may use.
    expect(readFileSync(join(project.home, 'told.txt'), 'utf8')).toBe(
      shown.map((model) => `${model} 50 1.5 high\n`).join(''),
    );
  });
});
