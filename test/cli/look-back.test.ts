// What a real run leaves, by all three ways to look at it.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import type { Step } from '../../scripts/demo/step.ts';
import { initialised, type TestProject } from '../support/ralph.ts';

const done = (summary: string): Step => ({ verb: 'done', args: { summary } });

async function worked(): Promise<TestProject> {
  const project = await initialised();
  const script = join(project.home, 'script');
  mkdirSync(script);
  const attempts: Record<number, Step[][]> = {
    1: [[done('Trust me.')], [{ shell: 'echo built > built.txt' }, done('Built, \x1b[2Jand really.')]],
    2: [[{ shell: 'rm -f built.txt' }, done('Tidied.')]],
  };
  for (const [id, steps] of Object.entries(attempts))
    writeFileSync(join(script, `${id}.json`), JSON.stringify(steps));
  const agent = JSON.stringify([process.execPath, inject('agent'), script]);
  writeFileSync(
    join(project.root, '.ralph/config.yaml'),
    `agent: scripted
agents: { scripted: { command: ${agent} } }
max_attempts: 2
gates: [{ name: test, command: "test -e built.txt || { echo built.txt is missing; exit 3; }" }]
`,
  );
  await project.json('trust', '--yes');
  await project.json('add', 'Build it');
  await project.json('add', 'Tidy up', '--depends-on', '1');
  expect(await project.ralph('run')).toMatchObject({ code: 10 });
  return project;
}

it('a task that is done shows its whole receipt, and one that failed where the gate wrote', async () => {
  const project = await worked();
  const env = { HOME: project.home, PATH: process.env['PATH'] };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: project.root, env, encoding: 'utf8' }).trim();
  const sessions = (await project.json('log')) as { id: string; task_id: number }[];
  const [first, second, third, last] = sessions.map(({ id }) => id);
  expect(sessions.map(({ task_id }) => task_id)).toEqual([1, 1, 2, 2]);
  const short = (id = ''): string => id.slice(0, 8);

  const { stdout } = await project.ralph('show', '1');
  expect(stdout).toContain(`Sessions (ralph log SESSION shows one)\n  1. ${short(first)}  `);
  expect(stdout.slice(stdout.indexOf('Receipt')).replace(/[\d-]+ [\d:]+ UTC/, 'TODAY')).toBe(`Receipt
  done: Built, ␛[2Jand really.
  ✓ test passed, exit code 0
  commit  ${git('rev-parse', '--short=7', 'HEAD')}, 1 file, +1 -0
  tree    ${git('rev-parse', '--short=7', 'HEAD^{tree}')}
  model   not known
  spent   1 turn, 0 tokens in, 0 out, $0.00
  when    TODAY
  session ${second}   ralph log ${short(second)}
`);

  const failed = (await project.ralph('show', '2')).stdout;
  const log = `.git/ralph/sessions/${last}/gates/test.log`;
  expect(failed).toMatch(
    new RegExp(`Gates of the last try\n {2}✗ test failed, exit code 3, [\\d.]+s\n {4}${log}\n$`),
  );
  expect(existsSync(join(project.root, log))).toBe(true);

  const shown = (await project.ralph('log', short(third))).stdout;
  expect(shown).toContain('#2 Tidy up');
  expect(shown).toContain('Recorded.');
  expect(shown).toMatch(/Said\n {2}done {5}Tidied\.\n\nGates\n {2}✗ test failed, exit code 3/);

  const report = (await project.ralph('report')).stdout;
  expect(report).toMatch(
    /\| 1 \| Build it \| done \| 2 \| .* \| 1\/1 \| [0-9a-f]{7} \|\n\| 2 \| Tidy up \| gate_failed, now failed \| 2 \|/,
  );
  expect(report).toContain(
    `- #1 **test** (exit code 3): built.txt is missing · \`ralph log ${short(first)}\``,
  );
});
