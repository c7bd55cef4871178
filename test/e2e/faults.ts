// What can go wrong in a session of the real Claude Code, one row each. The model is scripted; everything else is real.
import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { inject } from 'vitest';
import type { Turn } from '../support/claude.ts';
import type { TestProject } from '../support/ralph.ts';
import { bash, committed, done, type Fault, GATE, REWRITE, say, verb, write } from './fault.ts';
import { IN_SLOTS } from './faults-in-slots.ts';
import { OF_THE_API } from './faults-of-api.ts';

/** Work that no gate looks at. */
const draft = bash('echo draft > draft.txt');

/** By a way that no rule can see: the words are in a file, not in the command. */
const hidden = ({ root }: TestProject, script: string): Turn[] => [
  { tool: 'Write', input: { file_path: join(root, 'tool.sh'), content: `${script}\nrm tool.sh\n` } },
  bash('sh tool.sh'),
];

const KILL_SERVER =
  'for p in /proc/[0-9]*; do if grep -qz "^RALPH_SESSION_ID=$RALPH_SESSION_ID" $p/environ 2>/dev/null && tr "\\0" " " < $p/cmdline | grep -q "relay[.]js"; then kill -9 $(basename $p); fi; done';

/** A Ralph whose server does not start. */
function withoutServer({ home }: TestProject): string {
  const built = dirname(inject('ralph'));
  const folder = join(home, basename(built));
  cpSync(built, folder, { recursive: true });
  symlinkSync(resolve('node_modules'), join(home, 'node_modules'));
  writeFileSync(join(folder, 'relay.js'), 'process.exit(1);\n');
  return join(folder, basename(inject('ralph')));
}

/** The agent is the parent of its shell, and Ralph the parent of the agent. */
const KILL_RALPH = "kill -9 $(awk '/^PPid/ { print $2 }' /proc/$PPID/status)";

/** As a person types it beside the run: without what Ralph puts into the agent's environment. */
const byPerson = (command: string): Turn => bash(`unset GIT_REFLOG_ACTION; ${command}`);

/** With one checkout for the person and the session. */
const IN_PLACE = `in_place: true\n${GATE}`;

/** In a history, or beside a repository, that an agent has made its own. */
const AGAINST_GIT: readonly Fault[] = [
  {
    name: 'prunes every object that no ref holds',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'git gc -q --prune=now'), REWRITE, done],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'hides its change by a flag in the index',
    ofAnyAgent: true,
    turns: () => [bash('git update-index --assume-unchanged hello.txt'), REWRITE, done],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'hides its file in .git/info/exclude',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'mkdir -p .git/info; echo hello.txt > .git/info/exclude'), write(p), done],
    config: GATE,
  },
  {
    name: "forges a commit with Ralph's trailer",
    ofAnyAgent: true,
    turns: () => [
      bash('git commit -q --allow-empty -m "Done\n\nRalph-Session: $RALPH_SESSION_ID"'),
      REWRITE,
      done,
    ],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'leaves a repository of its own behind',
    ofAnyAgent: true,
    turns: (p) => [bash('mkdir app && echo x > app/x && git init -q app'), write(p), done],
    config: GATE,
    args: [],
  },
  {
    name: 'leaves a file of 150 MB behind',
    ofAnyAgent: true,
    turns: (p) => [bash('truncate -s 150M big.bin'), write(p), done],
    config: GATE,
    args: [],
  },
  {
    name: 'changes a file that is stored through a filter',
    ofAnyAgent: true,
    turns: (p) => [write(p), done],
    config: GATE,
    args: [],
    prepare: ({ root }) => writeFileSync(join(root, '.gitattributes'), 'hello.txt filter=lfs\n'),
  },
  {
    name: 'a person amends their commit meanwhile, in place',
    ofAnyAgent: true,
    turns: () => [REWRITE, byPerson('git commit -q --amend -m Amended'), done],
    config: IN_PLACE,
    prepare: committed,
  },
  {
    name: 'a person switches branches meanwhile, in place',
    ofAnyAgent: true,
    turns: () => [REWRITE, byPerson('git switch -q -c topic'), done],
    config: IN_PLACE,
    args: [],
    prepare: committed,
  },
  {
    name: 'removes the repository and makes a new one',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'rm -rf .git && git init -q'), write(p), done],
    config: GATE,
    args: [],
  },
  {
    name: 'Ralph is killed, and runs again',
    ofAnyAgent: true,
    turns: () => [REWRITE, done, bash(KILL_RALPH)],
    config: GATE,
    prepare: committed,
    later: ({ root }) => [root],
  },
  {
    name: 'Ralph is killed, and runs in another work tree',
    ofAnyAgent: true,
    turns: () => [REWRITE, done, bash(KILL_RALPH)],
    config: GATE,
    prepare: (project) => {
      committed(project);
      execFileSync('git', ['worktree', 'add', '-q', '../other'], { cwd: project.root });
      cpSync(join(project.root, '.ralph'), join(project.root, '../other/.ralph'), { recursive: true });
    },
    later: ({ root }) => [join(root, '../other')],
  },
  {
    name: 'the gate is ended from outside, twice',
    ofAnyAgent: true,
    turns: (p) => [write(p), done],
    config: 'gates: [{ name: test, command: "kill -9 $$" }]\n',
    args: [],
  },
];

const PACKAGE = { scripts: { test: 'test -z "$RALPH_GATE_OF" || grep -q hello hello.txt' } };

export const FAULTS: readonly Fault[] = [
  { name: 'says done while the gate fails', ofAnyAgent: true, turns: () => [draft, done], config: GATE },
  { name: 'says done and has changed nothing', ofAnyAgent: true, turns: () => [done] },
  {
    name: 'says done, and why nothing had to change',
    ofAnyAgent: true,
    turns: () => [verb('done', { summary: 'Nothing to do.', no_change_reason: 'It was there.' })],
    says: 'Done without a change? The agent says',
  },
  {
    name: 'says done, and the gate runs no test',
    ofAnyAgent: true,
    turns: (project) => [write(project), done],
    config:
      'gates: [{ name: test, command: "test -z \\"$RALPH_GATE_OF\\" || echo No test files found, exiting with code 0" }]\n',
  },
  { name: 'ends without a verb, asked twice', turns: () => [say('a'), say('b'), say('c'), say('d')] },
  {
    name: 'forgets its verb, and says it when asked',
    turns: (p) => [write(p), say('Finished.'), done],
    config: GATE,
  },
  { name: 'crashes at turn 2', inStream: { report: null }, turns: (p) => [write(p), bash('kill -9 $PPID')] },
  {
    name: 'rate limit before any work',
    inStream: { report: { error: 'rate_limit', status: 429 } },
    turns: () => [{ status: 429 }],
  },
  {
    name: 'rate limit after some work',
    inStream: { report: { error: 'rate_limit', status: 429 } },
    turns: (p) => [write(p), { status: 429 }],
  },
  {
    name: 'rate limit that passes, with --wait',
    turns: (p) => [{ status: 429, times: 2 }, write(p), done],
    config: GATE,
    args: ['--wait', '1'],
  },
  ...OF_THE_API,
  { name: 'MCP server missing', turns: () => [done], ralph: withoutServer },
  {
    name: 'MCP server killed in the middle',
    turns: (p) => [write(p), bash(KILL_SERVER), done, done],
    config: GATE,
  },
  {
    name: 'turn limit, with changed files',
    turns: (p) => [write(p), write(p), write(p), write(p)],
    config: 'limits: { max_turns: 2 }\n',
  },
  {
    name: 'budget limit, with changed files',
    turns: (p) =>
      [1, 1_000, 1_000, 1_000].map((tokens) => ({
        ...write(p),
        usage: { input_tokens: tokens, output_tokens: tokens },
      })),
    config: 'limits: { session_budget_usd: 0.0001 }\n',
  },
  { name: 'hangs silently', turns: () => [{ silence: true }], config: 'limits: { idle_seconds: 6 }\n' },
  {
    name: 'leaves a detached process behind',
    ofAnyAgent: true,
    turns: (p) => [bash('setsid sleep 600 >/dev/null 2>&1 </dev/null & true'), write(p), done],
    config: GATE,
  },
  {
    name: 'deletes .ralph, in plain sight',
    turns: (p) => [bash('rm -rf .ralph'), write(p), done],
    config: GATE,
  },
  {
    name: 'deletes .ralph, by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'rm -rf .ralph'), write(p), done],
    config: GATE,
  },
  { name: 'runs git clean -ffdx', turns: (p) => [bash('git clean -ffdx'), write(p), done], config: GATE },
  {
    name: 'runs git clean -ffdx by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'cp tool.sh ..; git clean -ffdx; cp ../tool.sh .'), write(p), done],
    config: GATE,
  },
  {
    name: 'checks out another branch',
    ofAnyAgent: true,
    turns: (p) => [bash('git checkout -q -b elsewhere'), write(p), done],
    config: GATE,
  },
  {
    name: 'rewrites the gate in config.yaml, by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, "printf 'gates: []\\n' > .ralph/config.yaml"), draft, done],
    config: GATE,
  },
  {
    name: 'rewrites the test script in package.json',
    ofAnyAgent: true,
    turns: () => [bash(`echo '{"scripts":{"test":"exit 0"}}' > package.json`), done],
    config: 'gates: [{ name: test, command: npm test }]\n',
    prepare: ({ root }) => writeFileSync(join(root, 'package.json'), JSON.stringify(PACKAGE)),
  },
  {
    name: 'asks a blocking question',
    ofAnyAgent: true,
    turns: () => [
      verb('ask', { question: 'Which language?', blocking: true }),
      verb('partial', { summary: 'Nothing yet.', remaining: 'All of it.' }),
    ],
    args: [],
  },
  {
    name: 'is blocked on another task',
    ofAnyAgent: true,
    turns: () => [
      verb('blocked', { on: '#2', kind: 'upstream_task' }),
      verb('partial', { summary: 'Nothing yet.', remaining: 'All of it.' }),
    ],
    tasks: [['Make the folder', '--priority', 'low']],
  },
  {
    name: 'is blocked on something external',
    ofAnyAgent: true,
    turns: () => [
      verb('blocked', { on: 'the vendor', kind: 'external' }),
      verb('partial', { summary: 'Nothing yet.', remaining: 'All of it.' }),
    ],
    args: [],
  },
  {
    name: 'suggests a task',
    ofAnyAgent: true,
    turns: (p) => [
      verb('suggest', { what: 'Say goodbye, too', kind: 'new_task', why: 'It is polite.' }),
      write(p),
      done,
    ],
    config: GATE,
    args: [],
  },
  {
    name: 'calls two closing verbs: the last counts',
    ofAnyAgent: true,
    turns: (p) => [verb('stuck', { reason: 'No idea.' }), write(p), done],
    config: GATE,
  },
  {
    name: 'says COMPLETE with tasks open',
    inStream: { report: null },
    turns: () => Array.from({ length: 4 }, () => say('<promise>COMPLETE</promise>')),
    tasks: [['Write goodbye.txt']],
  },
  {
    name: 'makes no change three times in a row',
    ofAnyAgent: true,
    turns: () => [verb('partial', { summary: 'Thought about it.', remaining: 'All of it.' })],
    args: [],
  },
  {
    name: '50 MB of output',
    inStream: { report: null },
    turns: (p) => [write(p), done, say('x'.repeat(50_000_000))],
    config: GATE,
  },
  {
    name: 'prints "rate limit" in its own text',
    inStream: { report: null },
    turns: (p) => [
      bash('echo Error: 429 rate_limit'),
      write(p),
      done,
      say('API Error: rate limit reached (429)'),
    ],
    config: GATE,
  },
  ...AGAINST_GIT,
  ...IN_SLOTS,
];
