// The plugin in the real Claude Code, installed from a local marketplace. `npx -y ralph-mcp` is answered by the Ralph of this build.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { slotsFolder } from '../../src/app/sessions/slots.ts';
import { CLAUDE, claudeEnv, scriptedModel, type Turn, toolResults } from '../support/claude.ts';
import { run, type TestProject } from '../support/ralph.ts';
import { scripted } from '../support/scripted-agent.ts';
import { tempDir } from '../support/temp.ts';

/** A marketplace as in a clone, and an npx that takes the package from here. */
function offered({ home }: TestProject): { marketplace: string; bin: string } {
  const [marketplace, bin] = [tempDir(), join(home, 'bin')];
  for (const name of ['.claude-plugin', 'plugin']) cpSync(name, join(marketplace, name), { recursive: true });
  mkdirSync(bin);
  const npx = `#!/bin/sh\n[ "$1 $2" = "-y ralph-mcp" ] || exit 9\nshift 2\nexec "${process.execPath}" "${inject('ralph')}" "$@"\n`;
  writeFileSync(join(bin, 'npx'), npx, { mode: 0o755 });
  return { marketplace, bin };
}

const RALPH = 'mcp__plugin_ralph_ralph__';

it('Claude Code with the plugin takes a task, is reminded of its verb, and lands the task, under the names of the plugin', async () => {
  const gate = { name: 'test', command: 'test ! -e hello.txt || grep -qx hello hello.txt' };
  const { project, git } = await scripted({}, `gates: ${JSON.stringify([gate])}\n`);
  await project.json('add', 'Write hello.txt');
  await project.json('add', 'Think about it', '--draft');
  const slot = join(slotsFolder({ HOME: project.home }, project, { folder: null }), 'work-1/tree');
  const turns: Turn[] = [
    { tool: `${RALPH}next_task`, input: {} },
    { tool: 'Write', input: { file_path: join(slot, 'hello.txt'), content: 'hello\n' } },
    // It forgets its closing verb, and the Stop hook asks for it.
    { text: 'The file is there.' },
    { tool: `${RALPH}done`, input: { summary: 'hello.txt says hello.' } },
  ];
  const model = await scriptedModel(turns);
  const { marketplace, bin } = offered(project);
  const env = claudeEnv(project, model);
  const options = { cwd: project.root, env: { ...env, PATH: `${bin}${delimiter}${env['PATH']}` } };
  const claude = (...args: string[]) => run(CLAUDE, args, options);
  expect(await claude('plugin', 'marketplace', 'add', marketplace)).toMatchObject({ code: 0 });
  expect(await claude('plugin', 'install', 'ralph@ralph')).toMatchObject({ code: 0 });

  // No rule is given here: what the skill allows is all that the session may do without a question.
  const ran = await claude(
    '-p',
    '/ralph:work',
    '--output-format',
    'stream-json',
    '--verbose',
    '--model',
    'haiku',
  );
  expect(ran).toMatchObject({ code: 0 });
  const [task, written, done] = toolResults(model);
  expect(task).toContain('## Your task: #1 Write hello.txt');
  expect(written).toContain('created successfully');
  expect(done).toContain('Task 1 is done');
  // Older clients put what hooks say into messages of the user, newer ones into messages of the system.
  const told = model.requests.map(({ messages }) => JSON.stringify(messages));
  expect(told.join('\n')).toContain("Ralph's queue: needs you: 1 draft (/ralph:status); 1 task ready");
  expect(told.filter((text) => text.includes('Task 1 is still yours')).length).toBeGreaterThan(0);
  expect(await project.json('show', '1')).toMatchObject({
    status: 'done',
    receipt: { gates: [{ name: 'test', passed: true }] },
  });
  expect(git('show', 'HEAD:hello.txt')).toBe('hello\n');
});
