import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Signal, SignalOf } from '../../../../src/domain/sessions/signal.ts';
import { connectWithin, queueOf, readText } from '../../../support/mcp.ts';
import { runSession } from '../../../support/queue.ts';
import { initialised, type TestProject } from '../../../support/ralph.ts';

const DONE: Signal = { verb: 'done', summary: 'Built.' };
const PARTIAL: Signal = { verb: 'partial', summary: 'Half.', remaining: 'The rest.' };
const STALE: SignalOf<'flag'> = {
  verb: 'flag',
  what: 'docs/api.md describes v1',
  severity: 'warning',
  category: 'stale',
};
const LEAK: SignalOf<'flag'> = {
  verb: 'flag',
  what: 'The token is logged',
  severity: 'blocking',
  category: 'security',
};

async function shop(
  ...titles: string[]
): Promise<TestProject & { say(...signals: Signal[]): Promise<void> }> {
  const project = await initialised();
  writeFileSync(
    join(project.root, '.ralph/features.yaml'),
    'features:\n  - { name: auth }\n  - { name: billing }\n',
  );
  for (const title of titles) await project.json('add', title, '--feature', 'auth');
  const queue = await queueOf(project);
  return { ...project, say: async (...signals) => void (await runSession(queue, signals)) };
}

it('flags and suggestions that are no task stay with the person, each once, until the person closes them', async () => {
  const project = await shop('Log in', 'Log out');
  const split: Signal = { verb: 'suggest', what: 'Split the module', kind: 'split', why: 'It is large.' };
  const task: Signal = { verb: 'suggest', what: 'Add a captcha', kind: 'new_task', why: 'Bots.' };
  await project.say(STALE, PARTIAL);
  await project.say(STALE, split, task, DONE);
  const { stdout } = await project.within('status');
  expect(stdout).toContain(
    'FOR LATER\n' +
      '  ! F1 #1 stale: docs/api.md describes v1   ralph flag close 1\n' +
      '  ! F2 #1 split: Split the module (why: It is large.)   ralph flag close 2',
  );
  expect(stdout).not.toContain('F3');
  const client = await connectWithin(project);
  expect(await readText(client, 'ralph://flags')).toContain(
    '- Flag 1 of task #1, warning, «stale: docs/api.md describes v1»\n- Flag 2 of task #1, info, «split: Split the module (why: It is large.)»',
  );
  expect((await project.within('flag', 'close', 'F1', '2', '--note', 'Not now')).stdout).toBe(
    'Closed F1.\nClosed F2.\n',
  );
  expect(await project.within('flag', 'close', '1')).toMatchObject({
    code: 1,
    stderr: 'ralph: Flag 1 is closed already; ralph flag list shows the open ones.\n',
  });
  expect(await project.json('flag', 'list')).toEqual([]);
  expect(await project.json('flag', 'list', '--all')).toMatchObject([
    { id: 2, category: 'split', note: 'Not now' },
    { id: 1, closed: expect.any(Number), note: 'Not now' },
  ]);
  expect((await project.within('status')).stdout).not.toContain('FOR LATER');
});

it('a blocking flag parks an unfinished task until a person closes it, and its next prompt has their note', async () => {
  const project = await shop('Log in');
  await project.say(LEAK, PARTIAL);
  expect(await project.json('show', '1')).toMatchObject({ status: 'needs_input', flags: [{ id: 1 }] });
  expect((await project.within('why', '1')).stdout).toContain(
    'flagged F1: security: The token is logged  ralph flag close 1 --note "..."',
  );
  expect((await project.within('status')).stdout).toContain(
    'NEEDS YOU\n  ! F1 #1 security: The token is logged   ralph flag close 1',
  );
  expect(await readText(await connectWithin(project), 'ralph://queue')).toContain(
    '- #1 Log in (medium, auth, waits for flag 1)',
  );
  expect((await project.within('prompt', '1')).stdout).toContain('- «security: The token is logged»');
  expect((await project.within('flag', 'close', '1', '--note', 'Masked in main')).stdout).toBe(
    'Closed F1; #1 Log in is ready.\n',
  );
  expect((await project.within('prompt', '1')).stdout).toContain(
    '- «security: The token is logged»\n  **A person closed this: Masked in main**',
  );
});

it('a blocking flag of a done task does not hold it back, and still needs the person', async () => {
  const project = await shop('Log in');
  await project.say(LEAK, DONE);
  expect(await project.json('show', '1')).toMatchObject({ status: 'done' });
  expect((await project.within('status')).stdout).toContain('NEEDS YOU\n  ! F1');
  expect((await project.within('flag', 'close', '1')).stdout).toBe('Closed F1.\n');
});

it('a passing question of a done task stays open, and its answer is a decision for later sessions of the feature', async () => {
  const project = await shop('Log in', 'Log out');
  await project.json('add', 'Send an invoice', '--feature', 'billing');
  const ask = (question: string): Signal => ({ verb: 'ask', question, blocking: false });
  await project.say(ask('Count by account?'), ask('Which colour?'), DONE);
  expect((await project.within('status')).stdout).toContain(
    'FOR LATER\n  ? Q1 #1 Count by account?   ralph answer 1 "..."',
  );
  expect(await readText(await connectWithin(project), 'ralph://questions')).toContain(
    'Question 1 of task #1',
  );
  await project.json('answer', '1', 'By address');
  expect((await project.within('answer', '2', '--dismiss')).stdout).toBe('Dismissed Q2.\n');
  expect((await project.within('answer', '1', '--dismiss', '--replace')).stderr).toBe(
    'ralph: Q1 has an answer, so there is nothing to dismiss; to change it: ralph answer 1 "..." --replace.\n',
  );
  expect(await project.json('status')).toMatchObject({ questions: [] });
  const prompt = async (id: number) => (await project.within('prompt', String(id))).stdout;
  const decision =
    '## What people decided\n\nThis holds, even where the code says otherwise.\n\n- «Count by account?»\n  **By address**';
  expect(await prompt(2)).toContain(decision);
  expect(await prompt(2)).not.toContain('Which colour?');
  expect(await prompt(3)).not.toContain('By address');
});

it('a question that its task waits for cannot be dismissed', async () => {
  const project = await shop('Log in');
  await project.say({ verb: 'ask', question: 'REST?', blocking: true }, PARTIAL);
  expect(await project.within('answer', '1', '--dismiss')).toMatchObject({
    code: 1,
    stderr: 'ralph: Task 1 waits for the answer to Q1; answer it, or skip the task: ralph skip 1\n',
  });
});

it('a dismissed question never holds its task back again', async () => {
  const project = await shop('Log in');
  await project.say({ verb: 'ask', question: 'REST?', blocking: true }, PARTIAL);
  await project.json('skip', '1');
  await project.json('answer', '1', '--dismiss');
  await project.json('retry', '1');
  await project.say(PARTIAL);
  expect(await project.json('show', '1')).toMatchObject({ status: 'pending' });
  expect(await readText(await connectWithin(project), 'ralph://tasks/1')).toContain('1. «REST?» (dismissed)');
});

it('the questions of a removed task leave the lists', async () => {
  const project = await shop('Log in');
  await project.say({ verb: 'ask', question: 'Count by account?', blocking: false }, DONE);
  await project.json('remove', '1');
  expect(await project.json('status')).toMatchObject({ questions: [] });
});
