import { expect, it } from 'vitest';
import { openBetterSqlite } from '../../src/store/better-sqlite.ts';
import { callTool, connectWithin } from '../support/mcp.ts';
import { done, scripted, shell } from '../support/scripted-agent.ts';

it('a run and a client build on no done that nothing proves, and status and doctor say what to type', async () => {
  const { project, config } = await scripted({ 2: [[shell('echo 2 > 2.txt'), done()]] });
  await config('gates: [{ name: test, command: "true" }]\n');
  await project.json('add', 'The ground');
  await project.json('add', 'What builds on it', '--depends-on', '1');
  const { state } = (await project.json('status')) as { state: string };
  const database = openBetterSqlite(`${state}/ralph.db`);
  database.exec("update tasks set status = 'done', completed = 1 where id = 1");
  database.exec("update tasks set status = 'pending', open_blockers = 0 where id = 2");
  database.close();
  const sentence =
    'Task 1 is done, but nothing proves it: do it again with ralph retry 1, or vouch for it with ralph approve 1.';
  const run = await project.within('run');
  expect(run.code).toBe(10);
  expect(`${run.stdout}${run.stderr}`.replace(/\s+/g, ' ')).toContain(sentence);
  const client = await connectWithin(project);
  expect(await callTool(client, 'next_task')).toMatchObject({
    isError: true,
    text: expect.stringContaining(sentence),
  });
  const status = await project.within('status');
  expect([status.code, status.stdout]).toEqual([1, expect.stringContaining(sentence)]);
  expect((await project.within('doctor')).stdout.replace(/\s+/g, ' ')).toContain(sentence);
  expect((await project.within('approve', '1')).stdout).toContain('it is done because you say so');
  expect((await project.within('run')).code).toBe(0);
  expect((await project.within('status')).code).toBe(0);
});
