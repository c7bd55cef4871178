// Checks that Ralph's MCP server starts before an agent is launched: newer clients prompt the model without it, which costs money.
import { parseJsonLine } from '../../domain/transcript/json.ts';
import { type Environment, runToEnd } from '../../host/processes/spawn.ts';
import type { McpEntry } from './agent.ts';

/** The longest that a client waits: a slow machine is not a missing server. */
export const SERVER_TIMEOUT_MS = 30_000;

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ralph', version: '1' } },
};

/** One check a process: it takes a tenth of a second, which every session would pay otherwise. */
const startedServers = new Set<string>();

/** Null if the server answers; otherwise its last error line. */
export async function serverProblem(
  { command, args, env }: McpEntry,
  { cwd, env: { HOME, PATH } }: { cwd: string; env: Environment },
): Promise<string | null> {
  const name = [command, ...args].join('\0');
  if (startedServers.has(name)) return null;
  const options = { cwd, env: { HOME, PATH, ...env }, timeoutMs: SERVER_TIMEOUT_MS };
  const { code, stdout, stderr } = await runToEnd(command, args, {
    ...options,
    input: `${JSON.stringify(HELLO)}\n`,
  });
  if (stdout.split('\n').some((line) => parseJsonLine(line)?.['result'] !== undefined)) {
    startedServers.add(name);
    return null;
  }
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  return lastLine === '' ? `it ended with ${code ?? 'nothing'} and said nothing` : lastLine.slice(0, 200);
}
