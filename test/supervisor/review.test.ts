import { describe, expect, it } from 'vitest';
import { done, scripted, shell } from '../support/scripted.ts';

const approve = { verb: 'approve', args: {} };
const object = (changes: string) => ({ verb: 'request_changes', args: { changes } });

describe('a review', () => {
  it('sends the work back with its text, and approves what is mended', async () => {
    const { project, promptOf, git } = await scripted(
      {
        1: [
          [shell('echo 1 > 1.txt'), done('First.')],
          [shell('echo 2 > 1.txt'), done('Second.')],
        ],
        '1.review': [[object('1. It must say 2.')], [approve]],
      },
      'review: { when: always }\n',
    );
    await project.json('add', 'One');
    const ran = await project.within('run');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toContain('again: review');
    expect(promptOf('1.review', 0)).toContain('First.');
    expect(promptOf(1, 1)).toContain('It must say 2.');
    expect(await project.json('show', '1')).toMatchObject({ status: 'done', attempts: 1 });
    expect(git('rev-list', '--count', 'HEAD').trim()).toBe('1');
  });

  it('is held only of what is important, where the project says so', async () => {
    const { project } = await scripted(
      { 1: [[done()]], 2: [[done()]], '1.review': [[approve]], '2.review': [[object('no')]] },
      'review: { when: high }\n',
    );
    await project.json('add', 'One', '--priority', 'critical');
    await project.json('add', 'Two', '--priority', 'medium');
    const { stdout } = await project.within('run');
    expect(stdout.match(/review of #/g)).toHaveLength(1);
    expect(await project.json('list')).toMatchObject([{ status: 'done' }, { status: 'done' }]);
  });

  it('without a verdict approves nothing, and neither does one that wrote files', async () => {
    const { project } = await scripted(
      {
        1: [[done()]],
        '1.review': [[{ exit: 0 }], [shell('echo mine > mine.txt'), approve], [approve]],
      },
      'review: { when: always }\n',
    );
    await project.json('add', 'One');
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(await project.json('show', '1')).toMatchObject({
      status: 'done',
      attempts: 2,
      comments: [
        { body: 'The reviewer ended without a verdict.' },
        { body: expect.stringContaining('The reviewer changed files') },
      ],
    });
  });

  it('by somebody who cannot even start ends the run, at no charge', async () => {
    // Nothing is written down for the reviewer, so its process fails before it says a word.
    const { project } = await scripted({ 1: [[done()]] }, 'review: { when: always }\n');
    await project.json('add', 'One');
    const ran = await project.within('run', '--max-sessions', '2');
    expect(ran).toMatchObject({ code: 13 });
    expect(ran.stdout).toContain('ralph doctor');
    expect(await project.json('show', '1')).toMatchObject({
      status: 'pending',
      attempts: 0,
      sessions: [{ outcome: 'interrupted' }],
    });
  });
});

describe('ralph review', () => {
  it('sends a done task back, and what waits for it waits again', async () => {
    const { project, promptOf } = await scripted({
      1: [[shell('echo 1 > 1.txt'), done('First.')], [done('Second.')]],
      2: [[done()]],
      '1.review': [[object('Say why.')], [approve]],
    });
    await project.json('add', 'One');
    await project.json('add', 'Two', '--depends-on', '1');
    await project.within('run', '--once');
    expect(await project.within('review', '1')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Task 1 is in the queue again .*\nSay why\.\n$/),
    });
    expect(promptOf('1.review', 0)).toContain('+++ b/1.txt');
    expect(await project.json('list')).toMatchObject([{ status: 'pending' }, { open_blockers: 1 }]);
    expect(await project.within('run')).toMatchObject({ code: 0 });
    expect(promptOf(1, 1)).toContain('Say why.');
    expect(await project.within('review', '1')).toMatchObject({ stdout: 'Task 1 is approved ($0.00).\n' });
    expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  });

  it('looks only at what was done', async () => {
    const { project } = await scripted({});
    await project.json('add', 'One');
    expect(await project.within('review', '1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Task 1 is pending; only what a session has done can be reviewed.'),
    });
  });
});
