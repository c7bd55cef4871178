import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_USAGE } from '../../../../src/domain/sessions/session.ts';
import { chooseVariant } from '../../../../src/domain/sessions/variants.ts';
import { findProject } from '../../../../src/host/project.ts';
import { promptFile, sessionDir } from '../../../../src/host/session-folder.ts';
import { recordVariant } from '../../../../src/queue/sessions/variants.ts';
import { addTasks } from '../../../../src/queue/tasks/add.ts';
import { queueOf } from '../../../support/mcp.ts';
import { effectsWith, gateResult, runSession } from '../../../support/queue.ts';
import { initialised, type TestProject } from '../../../support/ralph.ts';
import { done, scripted } from '../../../support/scripted-agent.ts';

function writeVariant({ root }: TestProject): void {
  mkdirSync(join(root, '.ralph/recipes'), { recursive: true });
  writeFileSync(join(root, '.ralph/recipes/task_execution.short.yaml'), 'text: { brief: "Be brief." }\n');
}

it('while a recipe has a variant, each session gets it or the base by its id, and Ralph records which', async () => {
  const { project } = await scripted({ 1: [[done()]], 2: [[done()]], 3: [[done()]] });
  writeVariant(project);
  for (const title of ['One', 'Two', 'Three']) await project.json('add', title);
  expect(await project.within('run')).toMatchObject({ code: 0 });
  const queue = await queueOf(project);
  const rows = await queue.store.read((db) => db.selectFrom('sessions').select(['id', 'variant']).execute());
  expect(rows).toHaveLength(3);
  const { stateDir } = findProject(project.root);
  for (const { id, variant } of rows) {
    expect(variant).toBe(chooseVariant(['short'], id));
    const prompt = readFileSync(promptFile(sessionDir(stateDir, id)), 'utf8');
    expect(prompt.includes('Be brief.')).toBe(variant === 'short');
  }
  // A preview is what most sessions have in common.
  expect((await project.within('prompt', '1')).stdout).not.toContain('Be brief.');
});

it('ralph recipe compare shows what two variants achieved, and claims nothing from few sessions', async () => {
  const project = await initialised();
  writeVariant(project);
  const compare = (...args: string[]) => project.within('recipe', 'compare', ...args);
  expect((await compare('base', 'shrot')).stderr).toBe(
    'ralph: There is no variant "shrot" of task_execution; did you mean "short"? To make it, write .ralph/recipes/task_execution.NAME.yaml.\n',
  );
  expect((await compare('short', 'short')).stderr).toContain('Name two different variants');
  expect((await compare('base', 'short')).stdout.replace(/\s+/g, ' ')).toContain(
    'Too few sessions to compare: each variant needs 20; base has had 0 sessions, short 0 sessions.',
  );
  const queue = await queueOf(project);
  await addTasks(
    queue,
    Array.from({ length: 41 }, (_, index) => ({ title: `Task ${index}` })),
  );
  for (let number = 0; number < 41; number++) {
    const isShort = number % 2 === 1;
    const usage = { ...NO_USAGE, turns: isShort ? 8 + (number % 3) : 12 + (number % 3), cost_usd: 0.2 };
    const effects = effectsWith(gateResult(true));
    const { session_id } = await runSession(queue, [{ verb: 'done', summary: 's' }], { usage, effects });
    await recordVariant(queue, session_id, isShort ? 'short' : 'base');
  }
  const { stdout } = await compare('base', 'short');
  expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
    'A SESSION  base                  short                 DIFFERENCE',
    'sessions   21                    20',
    'done       100% (85 to 100)      100% (84 to 100)      0% (-16 to +15)',
    'cost       $0.20 (0.20 to 0.20)  $0.20 (0.20 to 0.20)  $0.00 (0.00 to 0.00)',
    'turns      13.0 (12.6 to 13.4)   8.9 (8.6 to 9.3)      -4.1 (-4.6 to -3.5)',
    '',
    'Compared with base, a session with short takes fewer turns. About the rest these sessions tell nothing. In brackets: 95% intervals.',
    '',
  ]);
  expect(await project.json('recipe', 'compare', 'base', 'short')).toMatchObject({
    recipe: 'task_execution',
    sessions: { one: 21, other: 20 },
    measures: { turns: { verdict: 'less' }, done: { verdict: null } },
  });
});
