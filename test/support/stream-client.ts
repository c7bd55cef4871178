// A `claude` that is a shell and prints what Claude Code prints: for what Ralph reads from the stream alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Step } from '../../scripts/demo/script.ts';
import type { Symptom } from '../../src/domain/sessions/agent-failure.ts';
import { agentWithin } from './agent-within.ts';
import { initialised, type TestProject } from './ralph.ts';
import type { Turn } from './scripted-model.ts';

const init = (apiKeySource: string) => ({
  type: 'system',
  subtype: 'init',
  apiKeySource,
  mcp_servers: [{ name: 'ralph', status: 'connected' }],
});

/** What a session does, and what its client reports in the place of an answer. */
export type StreamAttempt = {
  turns: readonly Turn[];
  report: Symptom | null;
  cost_usd?: number;
  /** When its usage limit ends. */
  limited_until?: number;
};

export type StreamProject = {
  project: TestProject;
  /** With the client on the PATH. */
  env: Readonly<Record<string, string>>;
  /** The sessions of a task; `N.review` for its reviewers. The last one is repeated. */
  write: (task: number | string, attempts: readonly StreamAttempt[]) => void;
};

/** `isPlan`: the client is logged in with a subscription, which has usage limits. Its commands see how it was started in ARGUMENTS. */
export async function streamProject({ isPlan = false } = {}): Promise<StreamProject> {
  const project = await initialised();
  const [script, path] = [join(project.home, 'script'), join(project.home, 'bin')];
  mkdirSync(script);
  mkdirSync(path);
  const [, ...shell] = await agentWithin(script);
  const client = `#!/bin/bash
export ARGUMENTS="$*"
PROMPT=$2
while [ "$1" != --mcp-config ]; do shift; done
echo '${JSON.stringify(init(isPlan ? 'none' : 'ANTHROPIC_API_KEY'))}'
RALPH_MCP_CONFIG=$2 exec bash ${shell.map((word) => `'${word}'`).join(' ')} <<<"$PROMPT"
`;
  writeFileSync(join(path, 'claude'), client, { mode: 0o755 });
  const env = { HOME: project.home, PATH: `${path}${delimiter}${process.env['PATH']}` };
  const write: StreamProject['write'] = (task, attempts) =>
    writeFileSync(join(script, `${task}.json`), JSON.stringify(attempts.map(stepsOf)));
  return { project, env, write };
}

const stepsOf = ({ turns, report, cost_usd = 0, limited_until }: StreamAttempt): Step[] => [
  ...turns.flatMap(play),
  ...(limited_until === undefined ? [] : [print(limitUntil(limited_until))]),
  ...end(turns.at(-1), report, cost_usd),
];

const limitUntil = (time: number) => ({
  type: 'rate_limit_event',
  rate_limit_info: { status: 'rejected', resetsAt: Math.ceil(time / 1_000) },
});

const print = (...events: readonly object[]): Step => ({
  shell: 'true',
  says: events.map((event) => JSON.stringify(event)).join('\n'),
});

const message = (content: object, more: object = {}) => ({
  type: 'assistant',
  parent_tool_use_id: null,
  message: { id: `msg_${crypto.randomUUID()}`, content: [content] },
  ...more,
});

function play(turn: Turn): Step[] {
  if ('text' in turn) return [print(message({ type: 'text', text: turn.text }))];
  if (!('tool' in turn)) return [];
  return [print(message({ type: 'tool_use', name: turn.tool, input: turn.input })), stepOf(turn)];
}

/** A command that fails ends no session: the model is told. */
export function stepOf(turn: Turn): Step {
  if ('silence' in turn) return { shell: 'sleep 600' };
  if (!('tool' in turn)) throw new Error('Only Claude Code says this.');
  const input = turn.input as Record<string, string>;
  const { command, file_path, content } = input;
  if (turn.tool === 'Bash') return { shell: `${command}\ntrue` };
  if (turn.tool === 'Write') return { shell: `printf %s '${content}' > '${file_path}'` };
  return { verb: turn.tool.replace('mcp__ralph__', ''), args: input };
}

function end(last: Turn | undefined, report: Symptom | null, total_cost_usd: number): Step[] {
  const text = last !== undefined && 'text' in last ? last.text : '';
  const about = { type: 'result', subtype: 'success', num_turns: 1, total_cost_usd };
  const result = { ...about, is_error: report !== null };
  if (report === null) return [print({ ...result, result: text })];
  const { error, status } = report;
  return [
    print(
      { type: 'system', subtype: 'api_retry', error, error_status: status },
      message({ type: 'text', text: 'API Error: scripted' }, { error }),
      { ...result, api_error_status: status },
    ),
    { exit: 1 },
  ];
}
