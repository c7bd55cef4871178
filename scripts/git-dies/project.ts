// The project of every story: three tasks, files of a person's, and a `git` in front of the real one that can be told to die.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findExecutable } from '../../src/host/processes/find-executable.ts';

export type StoryProject = {
  root: string;
  /** One file for each call of Ralph's own git, with its arguments. */
  calls: string;
  /** Names the call that dies, and how. */
  victim: string;
  /** With the `git` that can die. */
  env: Readonly<Record<string, string>>;
  /** Without it, for checks. */
  plainEnv: Readonly<Record<string, string>>;
};

/** What a person changed before the run, and what git says of it. */
export const PERSONAL: Readonly<Record<string, { text: string; status: string }>> = {
  'README.md': { text: 'A person is rewriting this.\n', status: ' M' },
  'notes.txt': { text: 'Notes of a person.\n', status: '??' },
  'staged.txt': { text: 'Staged by a person.\n', status: 'M ' },
};

/** The files of each task, in the order in which its sessions write them. */
export const WORK: Readonly<Record<number, readonly string[]>> = {
  1: ['work/1-first.txt', 'work/1-second.txt'],
  2: ['work/2-first.txt', 'work/2-second.txt'],
  3: ['work/3-first.txt'],
};

/** Passes unless a task is half done, so it passes in every clone that holds whole tasks. */
const GATE = `for first in work/[12]-first.txt; do
  second=$(echo "$first" | sed s/first/second/)
  if [ -e "$first" ] && [ ! -e "$second" ]; then echo "$second is missing"; exit 1; fi
done
`;

/** It speaks by sigils, so that a story of five sessions needs neither Node nor an MCP server for each. */
const AGENT = `task=$(sed -n 's/^## Your task: #\\([0-9]*\\).*/\\1/p')
count="\${0%/*}/$task.count"
printf x >> "$count"
mkdir -p work
case "$task.$(cat "$count")" in
  1.x) echo first > work/1-first.txt; echo '<TASK_DONE>' ;;
  1.*) echo second > work/1-second.txt; echo '<TASK_DONE>' ;;
  2.x) echo first > work/2-first.txt; echo '<TASK_BLOCKED reason="the first part must be looked at">' ;;
  2.*) echo second > work/2-second.txt; echo '<TASK_DONE>' ;;
  3.*) echo first > work/3-first.txt; echo '<TASK_DONE>' ;;
esac
`;

/** Each call takes the next free number. What the gates and the agent run is not counted. */
const wrapper = (git: string): string => `#!/bin/sh
[ -n "$RALPH_GIT_OF" ] || exec ${git} "$@"
place=\${0%/*}/..
set -C
# Only where to begin: the first of two calls at once has made its file when the other tries.
read -r number < "$place/next"
until printf '%s ' "$@" > "$place/calls/$number"; do number=$((number + 1)); done 2> /dev/null
echo $((number + 1)) >| "$place/next"
read -r victim < "$place/victim"
case "$victim" in
  "before $number") exit 128 ;;
  "after $number") ${git} "$@"; kill -9 $$ ;;
  *) exec ${git} "$@" ;;
esac
`;

const CONFIG = (agent: string): string => `agent: scripted
agents: { scripted: { command: [sh, ${JSON.stringify(agent)}], protocol: sigils } }
gates: [{ name: check, command: [sh, check.sh] }]
`;

const TASKS = `tasks:
  - { id: 1, title: Write part 1, priority: high }
  - { id: 2, title: Write part 2, priority: medium }
  - { id: 3, title: Write part 3, priority: low }
`;

/** Made once; every story works on a copy. */
export function prepareProject(folder: string): void {
  const { root, plainEnv: env } = projectIn(folder);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const place of ['home', 'calls', 'bin']) mkdirSync(join(folder, place), { recursive: true });
  put(join(folder, 'victim'), 'nobody\n');
  put(join(folder, 'next'), '1\n');
  put(join(folder, 'agent.sh'), AGENT);
  put(join(folder, 'bin/git'), wrapper(findExecutable('git', process.env['PATH']) ?? 'git'));
  chmodSync(join(folder, 'bin/git'), 0o755);
  put(join(root, '.ralph/tasks.yaml'), TASKS);
  put(join(root, '.gitignore'), '.ralph/config.yaml\n.ralph/memory/\n.ralph/progress.*\n');
  put(join(root, 'check.sh'), GATE);
  for (const name of ['README.md', 'staged.txt']) put(join(root, name), 'As it was.\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env });
  git('init', '-q');
  git('config', 'user.name', 'A Person');
  git('config', 'user.email', 'person@example.com');
  git('add', '.');
  git('commit', '-qm', 'Begin');
  for (const [name, { text }] of Object.entries(PERSONAL)) put(join(root, name), text);
  git('add', 'staged.txt');
}

/** The agent's path is the copy's own, so its configuration is written here. */
export function copyProject(prepared: string, folder: string): StoryProject {
  cpSync(prepared, folder, { recursive: true });
  const project = projectIn(folder);
  writeFileSync(join(project.root, '.ralph/config.yaml'), CONFIG(join(folder, 'agent.sh')));
  return project;
}

function projectIn(folder: string): StoryProject {
  const [home, path] = [join(folder, 'home'), process.env['PATH'] ?? ''];
  return {
    root: join(folder, 'project'),
    calls: join(folder, 'calls'),
    victim: join(folder, 'victim'),
    env: { HOME: home, RALPH_SANDBOX: 'off', PATH: `${join(folder, 'bin')}${delimiter}${path}` },
    plainEnv: { HOME: home, RALPH_SANDBOX: 'off', PATH: path },
  };
}
