// The plugin in the real Claude Code, installed from a local marketplace. `npx -y ralph-mcp` is answered by the Ralph of this build.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { slotsFolder } from '../../src/app/sessions/slots.ts';
import {
  CLAUDE,
  claudeEnv,
  type ScriptedModel,
  scriptedModel,
  type Turn,
  toolResults,
} from '../support/claude.ts';
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

const FORGETS: Turn = { text: 'The file is there.' };

/**
 * Claude Code writes its transcript a tenth of a second after what happened, and the Stop hook reads there which task is taken. No
 * real model takes less time for two turns.
 */
const isInTranscript = ({ home }: TestProject, text: string): boolean => {
  const folder = join(home, '.claude/projects');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.jsonl'),
  );
  return files.some((name) => readFileSync(join(folder, name), 'utf8').includes(text));
};

/** The turns of a model that takes the task, forgets its closing verb, and is asked for it by the Stop hook. */
const worksIn = (slot: string, file: string): Turn[] => [
  { tool: `${RALPH}next_task`, input: {} },
  { tool: 'Write', input: { file_path: join(slot, file), content: 'hello\n' } },
  FORGETS,
  { tool: `${RALPH}done`, input: { summary: `${file} says hello.` } },
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

it("Claude Code with the plugin, told '/ralph:work' or 'work on the backlog', takes a task, is reminded of its verb, and lands the task, under the names of the plugin", async () => {
  const gate = {
    name: 'test',
    command: 'for file in *.txt; do test ! -e $file || grep -qx hello $file || exit 1; done',
  };
  const { project, git } = await scripted({}, `gates: ${JSON.stringify([gate])}\n`);
  await project.json('add', 'Think about it', '--draft');
  const slot = join(slotsFolder({ HOME: project.home }, project, { folder: null }), 'work-1/tree');
  const { marketplace, bin } = offered(project);
  const claude = (model: ScriptedModel, ...args: string[]) => {
    const env = claudeEnv(project, model);
    const PATH = `${bin}${delimiter}${env['PATH']}`;
    return run('claude', args, { cwd: project.root, env: { ...env, PATH } });
  };
  const none = await scriptedModel([]);
  expect(await claude(none, 'plugin', 'marketplace', 'add', marketplace)).toMatchObject({ code: 0 });
  expect(await claude(none, 'plugin', 'install', 'ralph@ralph')).toMatchObject({ code: 0 });

  for (const [index, { prompt, before, rules }] of WORDS.entries()) {
    const [id, file] = [index + 2, `hello-${index}.txt`];
    await project.json('add', `Write ${file}`);
    const taken = `## Your task: #${id} `;
    const model = await scriptedModel([...before, ...worksIn(slot, file)], async (turn) => {
      if (turn === FORGETS) await expect.poll(() => isInTranscript(project, taken)).toBe(true);
    });
    const output = ['--output-format', 'stream-json', '--verbose'];
    const ran = await claude(model, '-p', prompt, ...output, '--model', 'haiku', ...rules);
    expect(ran, prompt).toMatchObject({ code: 0 });
    // The model hears when to take the skill, also if the person does not name it.
    const skill = /ralph:work: (?:(?!\\n).)*/.exec(JSON.stringify(model.requests))?.[0];
    expect(skill, prompt).toContain('work on the backlog');
    const [task, written, done] = toolResults(model).slice(before.length);
    expect(task, prompt).toContain(`${taken}Write ${file}`);
    expect(written, prompt).toContain('created successfully');
    expect(done, prompt).toContain(`Task ${id} is done`);
    // Older clients put what hooks say into messages of the user, newer ones into messages of the system.
    const told = model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(told.join('\n'), prompt).toContain(
      "Ralph's queue: needs you: 1 draft (/ralph:status); 1 task ready",
    );
    expect(told.filter((text) => text.includes(`Task ${id} is still yours`)).length).toBeGreaterThan(0);
    expect(await project.json('show', String(id)), prompt).toMatchObject({
      status: 'done',
      receipt: { gates: [{ name: 'test', passed: true }] },
    });
    expect(git('show', `HEAD:${file}`)).toBe('hello\n');
  }
});
