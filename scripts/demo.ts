// npm run demo: a small real project, finished by a scripted agent. Everything else is real.
// With `-- --agent claude` the agent is Claude Code, and its model is scripted; likewise for codex and the others.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findRealAgent, REAL_AGENTS } from '../test/support/agents.ts';
import { makeProject } from './demo/make-project.ts';
import { startModel } from './demo/model.ts';
import { ATTEMPTS, FILES } from './demo/story.ts';
import { readFlags, refuse } from './usage.ts';

const started = performance.now();
const { agent: name } = readFlags('npm run demo [-- --agent NAME]', {
  options: { agent: { type: 'string', default: 'scripted' } },
}).values;
const agent = REAL_AGENTS.find((one) => one.name === name) ?? null;
if (agent === null && name !== 'claude' && name !== 'scripted')
  refuse(
    `There is no agent ${name}; there are scripted, claude, ${REAL_AGENTS.map((one) => one.name).join(', ')}.`,
  );
const bin = agent === null ? '' : findRealAgent(agent);
if (bin === null) refuse(`${name} is not installed; run npm run agents ${name} first.`);
const model = name === 'scripted' ? null : await startModel(ATTEMPTS, agent, bin);
const made = await makeProject(ATTEMPTS, name, FILES, agent?.config(model?.url ?? ''));
const { root: project, script } = made;
const env = model?.begin(made) ?? made.env;

say('Ralph runs no command of a project before a person trusts it.');
await ralph('trust', '--yes');
say('A project with seven tasks, in git, with a test suite that really runs.');
await ralph('list');
say(
  'Each task gets an agent process and a checkout of its own, two at a time. Ralph runs the tests after each "done".',
);
await ralph('run', '--jobs', '2');
say('An agent asked a question. A person answers it.');
await ralph('answer', '1', '40');
say(
  'Two of the last tasks change the same lines at the same time: one lands, the other merges in a second session.',
);
await ralph('run', '--jobs', '2');
say(
  'An agent suggested a task: it waits as a draft until a person approves it. Later prompts had the learning.',
);
await ralph('list', '--status', 'draft');
say('The receipt of the task that needed two tries proves its "done". Each task is a commit.');
await ralph('show', '2');
console.log('\n$ git log --oneline --reverse');
git('log', '--format=%h %s', '--reverse');
checkStory();
await model?.close();
say(
  `The demo took ${((performance.now() - started) / 1_000).toFixed(1)} s. To look around, type in this folder:`,
);
// With node: the reader may not have installed ralph yet.
const where = ` --project ${project}`;
for (const command of ['ui', 'log', 'report', 'show 2'])
  console.log(`  node dist/ralph.js ${command}${where}`);
console.log(`  git -C ${project} log`);

function say(text: string): void {
  console.log(`\n── ${text}`);
}

function ralph(...args: string[]): Promise<void> {
  console.log(`\n$ ralph ${args.join(' ')}`);
  const child = spawn(process.execPath, [resolve('dist/ralph.js'), ...args], {
    cwd: project,
    env,
    stdio: 'inherit',
  });
  return new Promise((over) => child.once('exit', () => over()));
}

function git(...args: string[]): void {
  execFileSync('git', args, { cwd: project, env, stdio: 'inherit' });
}

/** A demonstration that did not happen must not look like one. */
function checkStory(): void {
  const prompt = (name: string): string => readFileSync(join(script, `${name}.prompt`), 'utf8');
  const mergedPrompt = (): string =>
    ['6.1', '7.1'].map((name) => (existsSync(join(script, `${name}.prompt`)) ? prompt(name) : '')).join('');
  const shown: [string, boolean][] = [
    ['the failure is in the prompt of the second try', prompt('2.1').includes('1 !== 0')],
    ['the answer is in the prompt of the task that asked', prompt('3.1').includes('40')],
    ['a conflict is in the prompt of the session that resolves it', mergedPrompt().includes('README.md')],
    ['the learning is in a later prompt', prompt('5.0').includes('filter before counting')],
  ];
  const open = execFileSync(process.execPath, [resolve('dist/ralph.js'), 'list', '--json'], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
  const tasks: { id: number; status: string }[] = JSON.parse(open);
  shown.push(['seven tasks are done', tasks.filter(({ status }) => status === 'done').length === 7]);
  for (const [what, isTrue] of shown) {
    console.log(`${isTrue ? '✓' : '✗'} ${what}`);
    if (!isTrue) process.exitCode = 1;
  }
}
