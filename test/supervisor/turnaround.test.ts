// How often Ralph starts git between two sessions. Each start takes milliseconds, and a number does not depend on the machine.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { countingGit } from '../support/counting-git.ts';
import { initialised, runWithin } from '../support/ralph.ts';

const TASKS = 4;

/** What git was asked for between the end of the last agent but one and the start of the last. */
async function callsBetween(commit: 'task' | 'never'): Promise<string[]> {
  const project = await initialised();
  const { PATH, notes, calls } = countingGit();
  const options = { cwd: project.root, env: { HOME: project.home, PATH } };
  const script = `echo BEGIN >>'${notes}'; cat >/dev/null; echo "$RALPH_SESSION_ID" >"made-$RALPH_SESSION_ID"; echo '<TASK_DONE>'; echo END >>'${notes}'`;
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    JSON.stringify({
      agent: 'quick',
      agents: { quick: { command: ['sh', '-c', script], protocol: 'sigils' } },
      commit,
    }),
  );
  const tasks = Array.from({ length: TASKS }, (_, index) => ({ title: `Build part ${index + 1}` }));
  writeFileSync(join(project.root, '.ralph/tasks.yaml'), JSON.stringify({ tasks }));
  await runWithin(['trust', '--yes'], options);
  calls();
  expect(await runWithin(['run'], options)).toMatchObject({ code: 0 });
  const all = calls();
  return all.slice(all.lastIndexOf('END', all.lastIndexOf('END') - 1) + 1, all.lastIndexOf('BEGIN'));
}

it('git runs at most 16 times between two sessions in slots', async () => {
  const calls = await callsBetween('task');
  expect(calls).toContain('commit-tree');
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(16);
});

it('git runs at most 18 times between two sessions in the checkout', async () => {
  const calls = await callsBetween('never');
  expect(calls).toContain('commit-tree');
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(18);
});
