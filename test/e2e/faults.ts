// What can go wrong in a session of the real Claude Code, one row each. The model is scripted; everything else is real.
import { execFileSync } from 'node:child_process';
import { cpSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { inject } from 'vitest';
import type { Turn } from '../support/claude.ts';
import type { TestProject } from '../support/ralph.ts';
import { bash, commitFile, committed, done, type Fault, GATE, say, verb, write } from './fault.ts';
import { IN_SLOTS } from './faults-in-slots.ts';
import { OF_THE_API } from './faults-of-api.ts';

/** Work that no gate looks at. */
const draft = bash('echo draft > draft.txt');

/** By a way that no rule can see: the words are in a file, not in the command. */
const hidden = ({ home }: TestProject, script: string): Turn[] => {
  writeFileSync(join(home, 'tool.sh'), `${script}\n`);
  return [bash('sh ~/tool.sh')];
};

const KILL_SERVER =
  'for p in /proc/[0-9]*; do if grep -qz "^RALPH_SESSION_ID=$RALPH_SESSION_ID" $p/environ 2>/dev/null && tr "\\0" " " < $p/cmdline | grep -q "relay[.]js"; then kill -9 $(basename $p); fi; done';

/** A Ralph with another program in the place of its relay, which is beside it as `own.js`. */
const withRelay =
  (script: string) =>
  ({ home }: TestProject): string => {
    const built = dirname(inject('ralph'));
    const folder = join(home, basename(built));
    cpSync(built, folder, { recursive: true });
    symlinkSync(resolve('node_modules'), join(home, 'node_modules'));
    renameSync(join(folder, 'relay.js'), join(folder, 'own.js'));
    writeFileSync(join(folder, 'relay.js'), script);
    return join(folder, basename(inject('ralph')));
  };

const withoutServer = withRelay('process.exit(1);\n');

/** Ralph itself starts the first, to see whether it works; the second is that of the first session. */
const SECOND_DIES = `const { appendFileSync, readFileSync } = require('node:fs');
const starts = __dirname + '/starts';
appendFileSync(starts, '.');
if (readFileSync(starts, 'utf8') === '..') process.kill(process.pid, 'SIGKILL');
require('./own.js');
`;

/** The agent is the parent of its shell, and Ralph the parent of the agent. */
const KILL_RALPH = "kill -9 $(awk '/^PPid/ { print $2 }' /proc/$PPID/status)";

/** With one checkout for the person and the session. */
const IN_PLACE = `in_place: true\n${GATE}`;

/** In a history, or beside a repository, that an agent has made its own. */
const AGAINST_GIT: readonly Fault[] = [
  {
    name: 'prunes every object that no ref holds',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'git gc -q --prune=now'), write, done],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'hides its change by a flag in the index',
    ofAnyAgent: true,
    turns: () => [bash('git update-index --assume-unchanged hello.txt'), write, done],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'hides its file in .git/info/exclude',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'mkdir -p .git/info; echo hello.txt > .git/info/exclude'), write, done],
    config: GATE,
  },
  {
    name: "forges a commit with Ralph's trailer",
    ofAnyAgent: true,
    turns: () => [
      bash('git commit -q --allow-empty -m "Done\n\nRalph-Session: $RALPH_SESSION_ID"'),
      write,
      done,
    ],
    config: GATE,
    prepare: committed,
  },
  {
    name: 'leaves a repository of its own behind',
    ofAnyAgent: true,
    turns: () => [bash('mkdir app && echo x > app/x && git init -q app'), write, done],
    config: GATE,
    args: [],
  },
  {
    name: 'leaves a file of 150 MB behind',
    ofAnyAgent: true,
    turns: () => [bash('truncate -s 150M big.bin'), write, done],
    config: GATE,
    args: [],
  },
  {
    name: 'changes a file that is stored through a filter, in place',
    ofAnyAgent: true,
    turns: () => [write, done],
    config: IN_PLACE,
    args: [],
    prepare: (project) => {
      committed(project);
      commitFile(project, '.gitattributes', 'hello.txt filter=lfs\n');
    },
  },
  {
    name: 'a person switches branches meanwhile, in place',
    ofAnyAgent: true,
    turns: () => [write, bash('git switch -q -c topic'), done],
    config: IN_PLACE,
    args: [],
    prepare: committed,
  },
  {
    name: 'removes the repository and makes a new one',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'rm -rf .git && git init -q'), write, done],
    config: GATE,
    args: [],
  },
  {
    name: 'Ralph is killed, and runs again',
    ofAnyAgent: true,
    turns: () => [write, done, bash(KILL_RALPH)],
    config: GATE,
    prepare: committed,
    later: ({ root }) => [root],
  },
  {
    name: 'Ralph is killed, and runs in another work tree',
    ofAnyAgent: true,
    turns: () => [write, done, bash(KILL_RALPH)],
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
    turns: () => [write, done],
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
    turns: () => [write, done],
    config:
      'gates: [{ name: test, command: "test -z \\"$RALPH_GATE_OF\\" || echo No test files found, exiting with code 0" }]\n',
  },
  { name: 'ends without a verb, asked twice', turns: () => [say('a'), say('b'), say('c'), say('d')] },
  {
    name: 'forgets its verb, and says it when asked',
    turns: () => [write, say('Finished.'), done],
    config: GATE,
  },
  { name: 'crashes at turn 2', inStream: { report: null }, turns: () => [write, bash('kill -9 $PPID')] },
  {
    name: 'rate limit before any work',
    inStream: { report: { error: 'rate_limit', status: 429 } },
    turns: () => [{ status: 429 }],
  },
  {
    name: 'rate limit after some work',
    inStream: { report: { error: 'rate_limit', status: 429 } },
    turns: () => [write, { status: 429 }],
  },
  {
    name: 'rate limit that passes, with --wait',
    turns: () => [{ status: 429, times: 2 }, write, done],
    config: GATE,
    args: ['--wait', '1'],
  },
  ...OF_THE_API,
  { name: 'MCP server missing', turns: () => [done], ralph: withoutServer },
  {
    name: 'MCP server killed before the first word',
    turns: () => [write, done],
    config: GATE,
    ralph: withRelay(SECOND_DIES),
    args: [],
  },
  {
    name: 'MCP server killed in the middle',
    turns: () => [write, bash(KILL_SERVER), done, done],
    config: GATE,
  },
  {
    name: 'turn limit, with changed files',
    turns: () => [write, write, write, write],
    config: 'limits: { max_turns: 2 }\n',
  },
  {
    name: 'budget limit, with changed files',
    turns: () =>
      [1, 1_000, 1_000, 1_000].map((tokens) => ({
        ...write,
        usage: { input_tokens: tokens, output_tokens: tokens },
      })),
    config: 'limits: { session_budget_usd: 0.0001 }\n',
  },
  { name: 'hangs silently', turns: () => [{ silence: true }], config: 'limits: { idle_seconds: 6 }\n' },
  {
    name: 'leaves a detached process behind',
    ofAnyAgent: true,
    turns: () => [bash('setsid sleep 600 >/dev/null 2>&1 </dev/null & true'), write, done],
    config: GATE,
  },
  {
    name: 'deletes .ralph, in plain sight',
    turns: () => [bash('rm -rf .ralph'), write, done],
    config: GATE,
  },
  {
    name: 'deletes .ralph, by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'rm -rf .ralph'), write, done],
    config: GATE,
  },
  { name: 'runs git clean -ffdx', turns: () => [bash('git clean -ffdx'), write, done], config: GATE },
  {
    name: 'runs git clean -ffdx by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'git clean -ffdx'), write, done],
    config: GATE,
  },
  {
    name: 'checks out another branch',
    ofAnyAgent: true,
    turns: () => [bash('git checkout -q -b elsewhere'), write, done],
    config: GATE,
  },
  {
    name: 'rewrites the gate in config.yaml, by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, "mkdir -p .ralph; printf 'gates: []\\n' > .ralph/config.yaml"), draft, done],
    config: GATE,
  },
  {
    name: 'rewrites the test script in package.json',
    ofAnyAgent: true,
    turns: () => [bash(`echo '{"scripts":{"test":"exit 0"}}' > package.json`), done],
    config: 'gates: [{ name: test, command: npm test }]\n',
    prepare: (project) => commitFile(project, 'package.json', JSON.stringify(PACKAGE)),
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
    turns: () => [
      verb('suggest', { what: 'Say goodbye, too', kind: 'new_task', why: 'It is polite.' }),
      write,
      done,
    ],
    config: GATE,
    args: [],
  },
  {
    name: 'calls two closing verbs: the last counts',
    ofAnyAgent: true,
    turns: () => [verb('stuck', { reason: 'No idea.' }), write, done],
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
    turns: () => [write, done, say('x'.repeat(50_000_000))],
    config: GATE,
  },
  {
    name: 'prints "rate limit" in its own text',
    inStream: { report: null },
    turns: () => [
      bash('echo Error: 429 rate_limit'),
      write,
      done,
      say('API Error: rate limit reached (429)'),
    ],
    config: GATE,
  },
  ...AGAINST_GIT,
  ...IN_SLOTS,
];
