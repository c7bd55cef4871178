// What can go wrong in a session of the real Claude Code, one row each. The model is scripted; everything else is real.
import { cpSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { inject } from 'vitest';
import type { TestProject } from '../support/ralph.ts';
import { bash, commitFile, done, type Fault, GATE, hidden, say, verb, write } from './fault.ts';

/** Work that no gate looks at. */
const draft = bash('echo draft > draft.txt');

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
  {
    name: 'ends without a verb, asked twice',
    inStream: { report: null },
    turns: () => [say('a'), say('b'), say('c'), say('d')],
  },
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
  {
    name: 'hangs silently',
    ofAnyAgent: true,
    turns: () => [{ silence: true }],
    config: 'limits: { idle_seconds: 6 }\n',
  },
  {
    name: 'leaves a detached process behind',
    ofAnyAgent: true,
    turns: () => [bash('setsid sleep 600 >/dev/null 2>&1 </dev/null & true'), write, done],
    config: GATE,
  },
  // Claude Code obeys a rule here, as run.test.ts shows; without this rule the row is the same.
  {
    name: 'deletes .ralph, in plain sight',
    ofAnyAgent: true,
    turns: () => [bash('rm -rf .ralph'), write, done],
    config: GATE,
  },
  {
    name: 'deletes .ralph, by a script',
    ofAnyAgent: true,
    turns: (p) => [...hidden(p, 'rm -rf .ralph'), write, done],
    config: GATE,
  },
  {
    name: 'runs git clean -ffdx',
    ofAnyAgent: true,
    turns: () => [bash('git clean -ffdx'), write, done],
    config: GATE,
  },
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
  // The last one: its worker keeps the memory.
  {
    name: '50 MB of output',
    inStream: { report: null },
    // The client prints its last answer twice.
    turns: () => [write, done, say('x'.repeat(25_000_000))],
    config: GATE,
  },
];
