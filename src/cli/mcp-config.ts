// ralph.json: how an MCP client on this machine starts Ralph for this project.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '../domain/refusal.ts';
import { writeFileWhole } from '../host/write-file.ts';
import { requireOwnFile } from '../knowledge/leaves-project.ts';
import type { World } from './command.ts';
import { keepFromGit } from './keep-from-git.ts';

export const MCP_CONFIG = 'ralph.json';

/** The file as it should be: new, or with Ralph's own entry up to date and the others left alone. Null where it is so already. */
export async function mcpConfigFor(root: string, program: World['program']): Promise<string | null> {
  requireOwnFile(root, MCP_CONFIG);
  const current = await readFile(join(root, MCP_CONFIG), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const text = mcpConfig(current, root, program);
  return text === current ? null : text;
}

export async function writeMcpConfig(root: string, text: string): Promise<void> {
  await writeFileWhole(join(root, MCP_CONFIG), text);
  // It names places on this machine, so it is nobody else's.
  await keepFromGit(root, MCP_CONFIG);
}

function mcpConfig(current: string | null, root: string, { node, script }: World['program']): string {
  const config = current === null ? {} : requireMap(parse(current));
  const servers = requireMap(config['mcpServers'] ?? {});
  const earlier = requireMap(servers['ralph'] ?? {});
  const ralph = {
    ...earlier,
    // Absolute: the native module was built for this Node, and `node` may be another one where the client is started.
    command: node,
    args: [script, 'serve'],
    env: { ...requireMap(earlier['env'] ?? {}), RALPH_PROJECT: root },
    // Without this Claude Code does not wait for the server, and its first turn has no tools.
    alwaysLoad: true,
  };
  return `${JSON.stringify({ ...config, mcpServers: { ...servers, ralph } }, null, 2)}\n`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function requireMap(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new Refusal(
    `${MCP_CONFIG} is not a configuration of MCP servers; move it away and run ralph init again.`,
  );
}
