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

it.each(['.', 'plugin'])('Claude Code accepts the manifest of %s without a warning', async (folder) => {
  const env = { HOME: tempDir(), PATH: process.env['PATH'] };
  const { code, stdout } = await run(CLAUDE, ['plugin', 'validate', '--strict', folder], { cwd: '.', env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Validation passed') });
});

/** The turns of a model that takes the task, forgets its closing verb, and is asked for it by the Stop hook. */
const worksIn = (slot: string): Turn[] => [
  { tool: `${RALPH}next_task`, input: {} },
  { tool: 'Write', input: { file_path: join(slot, 'hello.txt'), content: 'hello\n' } },
  { text: 'The file is there.' },
  { tool: `${RALPH}done`, input: { summary: 'hello.txt says hello.' } },
];

const SLOTS = 'Edit(~/.local/state/ralph/slots/**)';

type Words = { prompt: string; before: Turn[]; rules: string[] };

const WORDS: Words[] = [
  // No rule is given here: what the skill allows is all that the session may do without a question.
  { prompt: '/ralph:work', before: [], rules: [] },
  // The client asks for a skill that the model chooses by itself, and does not apply what that skill allows. Nobody can answer here.
  {
    prompt: 'work on the backlog',
    before: [{ tool: 'Skill', input: { skill: 'ralph:work' } }],
    rules: ['--allowedTools', 'Skill(ralph:work)', 'mcp__plugin_ralph_ralph', SLOTS],
  },
];

it.each(WORDS)(
  'Claude Code with the plugin, told $prompt, takes a task, is reminded of its verb, and lands the task, under the names of the plugin',
  async ({ prompt, before, rules }) => {
    const gate = { name: 'test', command: 'test ! -e hello.txt || grep -qx hello hello.txt' };
    const { project, git } = await scripted({}, `gates: ${JSON.stringify([gate])}\n`);
    await project.json('add', 'Write hello.txt');
    await project.json('add', 'Think about it', '--draft');
    const slot = join(slotsFolder({ HOME: project.home }, project, { folder: null }), 'work-1/tree');
    const model = await scriptedModel([...before, ...worksIn(slot)]);
    const { marketplace, bin } = offered(project);
    const env = claudeEnv(project, model);
    const options = { cwd: project.root, env: { ...env, PATH: `${bin}${delimiter}${env['PATH']}` } };
    const claude = (...args: string[]) => run('claude', args, options);
    expect(await claude('plugin', 'marketplace', 'add', marketplace)).toMatchObject({ code: 0 });
    expect(await claude('plugin', 'install', 'ralph@ralph')).toMatchObject({ code: 0 });

    const output = ['--output-format', 'stream-json', '--verbose'];
    const ran = await claude('-p', prompt, ...output, '--model', 'haiku', ...rules);
    expect(ran).toMatchObject({ code: 0 });
    // The model hears when to take the skill, also if the person does not name it.
    const skill = /ralph:work: (?:(?!\\n).)*/.exec(JSON.stringify(model.requests))?.[0];
    expect(skill).toContain('work on the backlog');
    const [task, written, done] = toolResults(model).slice(before.length);
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
  },
);
