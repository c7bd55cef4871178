// What happens between two sessions, and how often Ralph starts git for it. Each start takes milliseconds, and a number does not
// depend on the machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { findExecutable } from '../../src/host/processes/find-executable.ts';
import { countingGit } from '../support/counting-git.ts';
import { initialised, runWithin } from '../support/ralph.ts';
import { tempDir } from '../support/temp.ts';

const TASKS = 5;

function writeConfig(root: string, script: string, commit: 'task' | 'never'): void {
  const agents = { quick: { command: ['sh', '-c', script], protocol: 'sigils' } };
  writeFileSync(join(root, '.ralph/config.yaml'), JSON.stringify({ agent: 'quick', agents, commit }));
  const tasks = Array.from({ length: TASKS }, (_, index) => ({ title: `Build part ${index + 1}` }));
  writeFileSync(join(root, '.ralph/tasks.yaml'), JSON.stringify({ tasks }));
}

/** What git was asked for, from the end of the second agent to that of the last: a run asks for some things only once. */
async function callsBetween(commit: 'task' | 'never'): Promise<string[]> {
  const project = await initialised();
  const { PATH, notes, calls } = countingGit();
  const options = { cwd: project.root, env: { HOME: project.home, PATH } };
  const script = `cat >/dev/null; echo "$RALPH_SESSION_ID" >"made-$RALPH_SESSION_ID"; echo '<TASK_DONE>'; echo END >>'${notes}'`;
  writeConfig(project.root, script, commit);
  await runWithin(['trust', '--yes'], options);
  calls();
  expect(await runWithin(['run'], options)).toMatchObject({ code: 0 });
  const all = calls();
  const second = all.indexOf('END', all.indexOf('END') + 1);
  return all.slice(second, all.lastIndexOf('END')).filter((call) => call !== 'END');
}

/** While an agent works, one call drops the refs of the session before. Late, it counts for the next agent. */
const LATE = 1;

it.each([
  { where: 'slots', commit: 'task', most: 9 },
  { where: 'the checkout', commit: 'never', most: 10 },
] as const)('git runs at most $most times for each session in $where', async ({ commit, most }) => {
  const calls = await callsBetween(commit);
  expect(calls).toContain('ls-files');
  expect(calls.length, calls.join(' ')).toBeLessThanOrEqual(most * (TASKS - 2) + LATE);
});

it('no agent begins before the checkout has followed the task before it', async () => {
  const project = await initialised();
  const folder = tempDir();
  const real = findExecutable('git', process.env['PATH']);
  // The branch of the person moves late.
  const late = `#!/bin/sh\ncase "$*" in *"ralph: bring "*) sleep 1 ;; esac\nexec '${real}' "$@"\n`;
  writeFileSync(join(folder, 'git'), late, { mode: 0o755 });
  const env = { HOME: project.home, PATH: `${folder}${delimiter}${process.env['PATH']}` };
  const heads = join(folder, 'heads');
  const script = `
    '${real}' -C '${project.root}' for-each-ref --format='%(objectname)' refs/heads | uniq | wc -l >>'${heads}'
    cat >/dev/null; echo "$RALPH_SESSION_ID" >"made-$RALPH_SESSION_ID"; echo '<TASK_DONE>'`;
  writeConfig(project.root, script, 'task');
  await runWithin(['trust', '--yes'], { cwd: project.root, env });
  expect(await runWithin(['run'], { cwd: project.root, env })).toMatchObject({ code: 0 });
  expect(readFileSync(heads, 'utf8').split('\n').map(Number)).toEqual([...Array(TASKS).fill(1), 0]);
});
