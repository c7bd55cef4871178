// An agent breaks what the setup of slots reads, such as a lock file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { callTool, connectWithin, takeTask } from '../support/mcp.ts';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

const CONFIG = `slots: { setup: "grep -q good lock.txt || { echo broken lock; exit 1; }", stamp: [lock.txt] }
gates: [{ name: test, command: "true" }]
`;

async function withLock({ project, git }: ScriptedProject): Promise<void> {
  writeFileSync(join(project.root, 'lock.txt'), 'good\n');
  git('add', 'lock.txt');
  git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'Lock');
}

it('an agent that breaks the setup is charged, and its next session gets its work and mends it', async () => {
  const made = await scripted(
    {
      1: [
        [shell('echo bad > lock.txt'), done()],
        [shell('grep bad lock.txt && echo good again > lock.txt'), done()],
      ],
    },
    CONFIG,
  );
  const { project, git, promptOf } = made;
  await withLock(made);
  await project.json('add', 'One');
  expect(await project.within('run')).toMatchObject({ code: 0 });
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    attempts: 1,
    sessions: [{ outcome: 'gate_failed' }, { outcome: 'done' }],
  });
  expect(git('show', 'HEAD:lock.txt')).toBe('good again\n');
  const prompt = promptOf(1, 1);
  expect(prompt).toMatch(/The gate `slots\.setup` \(`grep .*`\) failed with:\s+```\w*\n.*broken lock\n/);
  expect(prompt).toMatch(/The setup of your slot .* fails with your earlier work.*\nbroken lock\n/);
});

it('a client that breaks the setup is told so, and gets its work again to mend it', async () => {
  const made = await scripted({}, CONFIG);
  const { project } = made;
  await withLock(made);
  await project.json('add', 'One');
  const client = await connectWithin(project);
  writeFileSync(join(await takeTask(client), 'lock.txt'), 'bad\n');
  const sayDone = async (): Promise<string> => (await callTool(client, 'done', { summary: 'Built.' })).text;
  expect(await sayDone()).toContain('broken lock');
  writeFileSync(join(await takeTask(client), 'lock.txt'), 'good again\n');
  expect(await sayDone()).toContain('Task 1 is done');
});
