import { expect, it } from 'vitest';
import { addComment } from '../../../../src/queue/tasks/comment.ts';
import { callTool, claimed, connectWithin, readText } from '../../../support/mcp.ts';
import { initialised } from '../../../support/ralph.ts';

it('a comment on a task in any state is in its next prompt as the words of a person', async () => {
  const project = await initialised();
  for (const title of ['Ready', 'Draft', 'Skipped'])
    await project.json('add', title, ...(title === 'Draft' ? ['--draft'] : []));
  await project.json('skip', '3');
  const prompt = async (id: number) => (await project.within('prompt', String(id))).stdout;
  const said = '### What was said\n\nA person tells you:\n\n> The fixture is in test/data';
  expect(await project.within('comment', '1', 'The fixture', 'is in test/data')).toMatchObject({
    code: 0,
    stdout: 'Commented on #1 Ready; its next session reads it.\n',
  });
  expect((await project.within('comment', '3', 'The fixture is in test/data')).stdout).toBe(
    'Commented on #3 Skipped; it is skipped, so a session reads it only if you queue the task again.\n',
  );
  const client = await connectWithin(project);
  expect(
    (await callTool(client, 'comment_on_task', { id: 2, text: 'The fixture is in test/data' })).text,
  ).toBe('Commented on #2 Draft; its next session reads it.');
  for (const id of [1, 2, 3]) expect(await prompt(id)).toContain(said);
  expect(await readText(client, 'ralph://tasks/2')).toContain('human:\n\n> The fixture is in test/data');

  const { queue } = await claimed(project, 'at-work');
  expect((await project.within('comment', '1', 'Mind the tests')).stdout).toBe(
    'Commented on #1 Ready; the session at work does not see it, but the next one does.\n',
  );
  for (let index = 0; index < 12; index++) await addComment(queue, 1, `Report ${index}.`);
  expect(await prompt(1)).toMatch(/> The fixture is in test\/data[\s\S]*> Mind the tests[\s\S]*Report 11\./);
  expect(await prompt(1)).not.toContain('Report 1.');
  expect(await project.within('comment', '1', ' ')).toMatchObject({
    code: 1,
    stderr: 'ralph: The comment is empty; say what the next session should know.\n',
  });
  expect(await project.within('comment', '9', 'Hello')).toMatchObject({ code: 1 });
});
