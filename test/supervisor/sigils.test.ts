import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSigil } from '../../src/supervisor/sigils.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

/** An agent that changes a file and prints the lines of the file `N.txt`, N being the number of its session. */
async function printing(...sessions: string[]): Promise<TestProject> {
  const project = await initialised();
  sessions.forEach((text, index) => {
    writeFileSync(join(project.home, `${index + 1}.txt`), text);
  });
  const count = 'n=$(cat n 2>/dev/null || echo 0); n=$((n+1)); echo $n > n; cat >/dev/null; cat $n.txt';
  const told = 'echo "$RALPH_MODEL $RALPH_MAX_TURNS $RALPH_BUDGET_USD" >> told.txt';
  const works = `${told}; date +%N > ${JSON.stringify(join(project.root, 'work.txt'))}`;
  const command = JSON.stringify(['sh', '-c', `cd ${JSON.stringify(project.home)}; ${works}; ${count}`]);
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

  it('a sigil for another task, or in the middle of a line, counts for nothing', async () => {
    const project = await printing('<task-done>7</task-done>\nI will print <TASK_DONE> when I am done.\n');
    await project.json('add', 'One');
    expect(await project.within('run', '--once')).toMatchObject({
      stdout: expect.stringContaining('It spoke of task 7, but was given task 1.'),
    });
    expect(await project.json('show', '1')).toMatchObject({ status: 'pending', stuck_count: 1 });
  });

  it('Ralph believes that everything is complete only if nothing else is open', async () => {
    const complete = '<promise>COMPLETE</promise>\n';
    const project = await printing(complete, '<TASK_DONE>\n', complete);
    await project.json('add', 'One');
    await project.json('add', 'Two');
    const { stdout, code } = await project.within('run');
    expect(stdout).toContain('It said that everything is complete, but 1 other tasks are open.');
    expect(code).toBe(0);
    expect(await project.json('list')).toMatchObject([
      { status: 'done', stuck_count: 1 },
      { status: 'done' },
    ]);
  });

  it('an agent can report by sigils that it failed or is blocked', async () => {
    const project = await printing(
      'No access.\n<task-failed>1</task-failed>\n',
      '<promise>FAILURE</promise>\n',
      '<TASK_BLOCKED reason="the vendor">\n',
    );
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 10 });
    expect(await project.json('show', '1')).toMatchObject({
      status: 'blocked',
      stuck_count: 2,
      blocked_by: 'the vendor',
      comments: [{ body: 'Stuck: No access.' }, {}, {}],
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
    await project.json('add', 'One');
    const { stdout } = await project.within('run', '--budget', '1.5');
    const shown = [...stdout.matchAll(/^▶.* (\w+)$/gm)].map(([, model]) => model);
    expect(shown).toEqual(['haiku', 'opus', 'opus']);
    // The agent was told what the screen says, and what it may use.
    expect(readFileSync(join(project.home, 'told.txt'), 'utf8')).toBe(
      shown.map((model) => `${model} 50 1.5\n`).join(''),
    );
  });
});

it.each([
  '<task-done>x</task-done>',
  'done <TASK_DONE>',
  '<TASK_BLOCKED>',
  '<TASK_BLOCKED reason="a"b">',
  '<promise>complete</promise>',
  '<next-model>a b</next-model>',
  '`<TASK_DONE>`',
])('%s is no sigil', (line) => expect(parseSigil(line)).toBeNull());
