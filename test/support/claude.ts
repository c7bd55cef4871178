// The real Claude Code against a model that says what the test wrote down: no key, no network beyond loopback.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { serverArgs } from './mcp.ts';
import { type Ran, run, type TestProject } from './ralph.ts';
import {
  type Block,
  blocksOf,
  CLAUDE,
  FINISHED,
  type ScriptedModel,
  serveModel,
  type Turn,
  thriftyEnv,
} from './scripted-model.ts';

export { blocksOf, CLAUDE, type ScriptedModel, type Turn };

/**
 * Each turn is said once: which one is due is read from the conversation, as a model would. `beforeTurn` may let it wait, where a
 * model that needs no time would be faster than what the client does beside it.
 */
export async function scriptedModel(
  turns: readonly Turn[],
  beforeTurn: (turn: Turn) => Promise<void> = async () => {},
): Promise<ScriptedModel> {
  let refused = 0;
  const model = await serveModel(async (_, said) => {
    const due = turns[said] ?? FINISHED;
    await beforeTurn(due);
    // A limit that passes: after so many refusals the next turn is said in its place.
    const isOver = 'status' in due && due.times !== undefined && refused >= due.times;
    const turn = isOver ? (turns[said + 1] ?? FINISHED) : due;
    if ('status' in turn) refused += 1;
    return turn;
  });
  onTestFinished(() => model.close());
  return model;
}

export const claudeEnv = ({ home }: TestProject, { url }: ScriptedModel): NodeJS.ProcessEnv =>
  thriftyEnv(home, url);

/** As a person or a supervisor starts it, with Ralph as its only MCP server. */
export function runClaude(
  project: TestProject,
  model: ScriptedModel,
  prompt: string,
  env: Readonly<Record<string, string>> = {},
  /** What the client itself has besides. */
  own: Readonly<Record<string, string>> = {},
  permissions: readonly string[] = ['--permission-mode', 'bypassPermissions'],
): Promise<Ran> {
  const config = join(project.home, 'mcp.json');
  const ralph = { command: process.execPath, args: serverArgs(env), env, alwaysLoad: true };
  writeFileSync(config, JSON.stringify({ mcpServers: { ralph } }));
  return run(
    'claude',
    [
      '-p',
      prompt,
      '--output-format',
      'stream-json',
      '--verbose',
      '--mcp-config',
      config,
      '--strict-mcp-config',
      '--tools',
      'Read,Edit,Write,Bash,ReadMcpResourceTool,ListMcpResourcesTool',
      '--model',
      'haiku',
      '--max-turns',
      '30',
      ...permissions,
    ],
    { cwd: project.root, env: { ...claudeEnv(project, model), ...own } },
  );
}

/** What the tools answered, in order, as the model was told. */
export function toolResults({ requests }: ScriptedModel): string[] {
  const last = requests.findLast((request) => (request.tools?.length ?? 0) > 0);
  return last === undefined
    ? []
    : blocksOf(last, 'user')
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) =>
          typeof content === 'string'
            ? content
            : (content as Block[]).map(({ text }) => String(text ?? '')).join(''),
        );
}
