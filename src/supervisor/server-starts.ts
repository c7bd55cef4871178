// Whether Ralph's own server starts, known before an agent is launched: newer clients send a prompt without it to the model, and that costs.
import { parseJsonLine } from '../domain/transcript/json.ts';
import { type Environment, runToEnd } from '../host/processes/spawn.ts';
import type { McpEntry } from './agent.ts';

/** As long as a client waits at most: a slow machine is not a missing server. */
const WITHIN_MS = 30_000;

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'ralph', version: '1' } },
};

/** Looked at once a process: what takes a tenth of a second is paid for in every session otherwise. */
const started = new Set<string>();

/** Null where it answers; otherwise what it said instead. */
export async function serverProblem(
  { command, args, env }: McpEntry,
  { cwd, env: { HOME, PATH } }: { cwd: string; env: Environment },
): Promise<string | null> {
  const name = [command, ...args].join('\0');
  if (started.has(name)) return null;
  const options = { cwd, env: { HOME, PATH, ...env }, timeoutMs: WITHIN_MS };
  const { code, stdout, stderr } = await runToEnd(command, args, {
    ...options,
    input: `${JSON.stringify(HELLO)}\n`,
  });
  if (stdout.split('\n').some((line) => parseJsonLine(line)?.['result'] !== undefined)) {
    started.add(name);
    return null;
  }
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return said === '' ? `it ended with ${code ?? 'nothing'} and said nothing` : said.slice(0, 200);
}
