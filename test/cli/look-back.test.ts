// What a real run leaves, by all three ways to look at it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { done, type ScriptedProject, scripted, shell } from '../support/scripted-agent.ts';

async function worked(): Promise<ScriptedProject> {
  const made = await scripted(
    {
      1: [
        [shell('echo begun > begun.txt'), done('Trust me.')],
        [shell('echo built > built.txt'), done('Built, \x1b[2Jand really.')],
      ],
      2: [[shell('rm -f built.txt'), done('Tidied.')]],
    },
    `max_attempts: 2
gates: [{ name: test, command: "test ! -e begun.txt || test -e built.txt || { echo built.txt is missing; exit 3; }" }]
`,
  );
  await made.project.json('add', 'Build it');
  await made.project.json('add', 'Tidy up', '--depends-on', '1');
  expect(await made.project.within('run')).toMatchObject({ code: 10 });
  return made;
}

it('ralph show prints the whole receipt of a done task, and the gate log of a failed one', async () => {
  const { project, git } = await worked();
  const sessions = (await project.json('log')) as { id: string; task_id: number }[];
  const [first, second, third, last] = sessions.map(({ id }) => id);
  expect(sessions.map(({ task_id }) => task_id)).toEqual([1, 1, 2, 2]);
  const short = (id = ''): string => id.slice(0, 8);

  const { stdout } = await project.within('show', '1');
  expect(stdout).toContain(`Sessions (ralph log SESSION shows one)\n  ${short(first)}  try 1  `);
  expect(stdout.slice(stdout.indexOf('Receipt')).replace(/[\d-]+ [\d:]+/, 'TODAY')).toBe(`Receipt
  done: Built, ␛[2Jand really.
  ✓ test passed, exit code 0
  commit  ${git('rev-parse', '--short=7', 'HEAD').trim()}, 2 files, +2 -0
  tree    ${git('rev-parse', '--short=7', 'HEAD^{tree}').trim()}
  model   not known
  spent   1 turn, 0 tokens in, 0 out, cost not reported
  when    TODAY
  session ${second}   ralph log ${short(second)}
`);

  const failed = (await project.within('show', '2')).stdout;
  // Both tries failed at the gate: the output of the last one is enough.
  const gateLines = failed.split('\n').filter((text) => text.includes('Ralph: Gate test failed'));
  expect(gateLines.map((text) => /exit code 3\)\.(.*)$/.exec(text)?.[1])).toEqual([
    ` ralph log ${short(third)}`,
    '',
  ]);
  expect(failed.match(/^ +built\.txt is missing$/gm)).toHaveLength(1);
  const log = `.git/ralph/sessions/${last}/gates/test.log`;
  expect(failed).toMatch(
    new RegExp(`Gates of the last try\n {2}✗ test failed, exit code 3, [\\d.]+s\n {4}${log}\n$`),
  );
  expect(existsSync(join(project.root, log))).toBe(true);

  const shown = (await project.within('log', short(third))).stdout;
  expect(shown).toContain('#2 Tidy up');
  expect(shown).toContain('done: Tidied.');
  expect(shown).toMatch(/Reported\n {2}done {5}Tidied\.\n\nGates\n {2}✗ test failed, exit code 3/);

  const report = (await project.within('report')).stdout;
  expect(report).toMatch(
    /\| 1 \| Build it \| done \| 2 \| .* \| 1\/1 \| [0-9a-f]{7} \|\n\| 2 \| Tidy up \| gate failed, now failed \| 2 \|/,
  );
  expect(report).toContain(
    `- #1 **test** (exit code 3): built.txt is missing · \`ralph log ${short(first)}\``,
  );
});
