import { execFile } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Bench, inTempFolder } from './measure.ts';
import { type Model, startModel } from './model.ts';
import { type BenchProject, makeProject } from './project.ts';

const run = promisify(execFile);
const CLAUDE = resolve('node_modules/.bin/claude');

/** Nothing of whoever runs this, and no network beyond loopback. */
const claudeEnv = ({ url }: Pick<Model, 'url'>, home: string): Record<string, string> => ({
  HOME: home,
  PATH: `${dirname(CLAUDE)}:${process.env['PATH']}`,
  IS_SANDBOX: '1',
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'dummy-key-of-a-bench',
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
});

/** One session of the real client, from its start to its end, with a model that answers at once. */
export async function bareSession(model: Model, folder: string): Promise<void> {
  // The model that Ralph begins with: the client's own prompt differs from model to model.
  const args = ['-p', 'Build part 1', '--model', 'haiku', '--permission-mode', 'bypassPermissions'];
  const ended = run(CLAUDE, args, { cwd: folder, env: claudeEnv(model, folder) });
  ended.child.stdin?.end();
  await ended;
}

/** The same with Ralph's MCP server and one call of a tool: what somebody has who works without a supervisor. */
export async function sessionByHand(url: string, { root, home }: BenchProject): Promise<void> {
  const ralph = { command: process.execPath, args: [resolve('dist/ralph.js'), 'serve'], alwaysLoad: true };
  const servers = ['--mcp-config', JSON.stringify({ mcpServers: { ralph } }), '--strict-mcp-config'];
  const args = ['-p', 'What is there to do?', '--model', 'haiku', '--permission-mode', 'bypassPermissions'];
  const options = { cwd: root, env: claudeEnv({ url }, home) };
  const ended = run(CLAUDE, [...args, ...servers], options);
  ended.child.stdin?.end();
  await ended;
}

export const firstRequest: Bench = async (folder) => {
  const model = await startModel();
  await inTempFolder((home) => bareSession(model, home));
  const [plain = Number.NaN] = model.requests.splice(0);
  const project = await makeProject(folder, {
    config: { limits: { stuck: 1 } },
    tasks: 1,
    env: claudeEnv(model, folder),
  });
  // It ends without a closing verb, so the exit code is not 0: only what it was sent matters here.
  await project.ralph('run', '--once').catch(() => {});
  const [supervised = Number.NaN] = model.requests;
  await model.close();
  return [
    {
      name: 'first request of a supervised session, in bytes, against `claude -p` with the title alone and the same model',
      ratio: supervised / plain,
      atMost: 0.45,
      detail: `${(supervised / 1024).toFixed(1)} KB against ${(plain / 1024).toFixed(1)} KB`,
    },
  ];
};
