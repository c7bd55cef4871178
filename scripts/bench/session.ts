import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  CLAUDE,
  FINISHED,
  type Request,
  type ScriptedModel,
  scriptedEnv,
  serveModel,
} from '../../test/support/scripted-model.ts';
import { type Bench, inTempFolder } from './measure.ts';
import { type BenchProject, makeProject } from './project.ts';

const run = promisify(execFile);

/** One session of the real client, from its start to its end, with a model that answers at once. */
async function bareSession({ url }: Pick<ScriptedModel, 'url'>, folder: string): Promise<void> {
  // The model that Ralph begins with: the client's own prompt differs from model to model.
  const args = ['-p', 'Build part 1', '--model', 'haiku', '--permission-mode', 'bypassPermissions'];
  const ended = run(CLAUDE, args, { cwd: folder, env: scriptedEnv(folder, url) });
  ended.child.stdin?.end();
  await ended;
}

/** The same with Ralph's MCP server and one call of a tool: as in an interactive client without a supervisor. */
export async function sessionByHand(url: string, { root, home }: BenchProject): Promise<void> {
  const ralph = { command: process.execPath, args: [resolve('dist/ralph.js'), 'serve'], alwaysLoad: true };
  const servers = ['--mcp-config', JSON.stringify({ mcpServers: { ralph } }), '--strict-mcp-config'];
  const args = ['-p', 'What is there to do?', '--model', 'haiku', '--permission-mode', 'bypassPermissions'];
  const options = { cwd: root, env: scriptedEnv(home, url) };
  const ended = run(CLAUDE, [...args, ...servers], options);
  ended.child.stdin?.end();
  await ended;
}

/** Bytes of the first request that came with tools: the others are the client's own housekeeping. */
function firstSize(requests: readonly Request[]): number {
  const first = requests.find(({ tools = [] }) => tools.length > 0);
  return first === undefined ? Number.NaN : Buffer.byteLength(JSON.stringify(first));
}

export const firstRequest: Bench = async (folder) => {
  const model = await serveModel(() => FINISHED);
  await inTempFolder((home) => bareSession(model, home));
  const plain = firstSize(model.requests.splice(0));
  const project = await makeProject(folder, {
    config: { limits: { stuck: 1 } },
    tasks: 1,
    env: scriptedEnv(folder, model.url),
  });
  // It ends without a closing verb, so the exit code is not 0: only what it was sent matters here.
  await project.ralph('run', '--once').catch(() => {});
  const supervised = firstSize(model.requests);
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
