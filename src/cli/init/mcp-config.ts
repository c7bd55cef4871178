// ralph.json: how an MCP client on this machine starts Ralph for this project.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keepFromGit } from '../../app/definitions/keep-from-git.ts';
import type { World } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import { requireOwnFile } from '../../files/own-file.ts';
import { writeFileWhole } from '../../files/write-file.ts';

export const MCP_CONFIG = 'ralph.json';
/** The file as it was before init removed its other entries. */
export const FORMER_CONFIG = 'ralph.json.old';

export type McpConfig = {
  /** Null if there is no file. */
  current: string | null;
  /** The other servers and keys of the file, a line each: they may have come with the repository. */
  others: readonly string[];
  /** The new content. Ralph's own entry is always written from scratch: an old one may start any program. */
  text(keepsOthers: boolean): string;
};

export async function readMcpConfig(root: string, program: World['program']): Promise<McpConfig> {
  requireOwnFile(root, MCP_CONFIG);
  requireOwnFile(root, FORMER_CONFIG);
  const current = await readFile(join(root, MCP_CONFIG), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  const config = current === null ? {} : requireMap(parse(current));
  const { mcpServers = {}, ...keys } = config;
  const { ralph: _, ...others } = requireMap(mcpServers);
  const own = { ralph: ownEntry(root, program) };
  return {
    current,
    others: Object.entries({ ...others, ...keys }).map(
      ([name, value]) => `${name}: ${JSON.stringify(value)}`,
    ),
    text: (keepsOthers) =>
      `${JSON.stringify(
        keepsOthers ? { ...config, mcpServers: { ...others, ...own } } : { mcpServers: own },
        null,
        2,
      )}\n`,
  };
}

export async function writeMcpConfig(root: string, text: string, former: string | null): Promise<void> {
  if (former !== null) {
    await writeFileWhole(join(root, FORMER_CONFIG), former);
    await keepFromGit(root, FORMER_CONFIG);
  }
  await writeFileWhole(join(root, MCP_CONFIG), text);
  // It names paths of this machine, so it must not be committed.
  await keepFromGit(root, MCP_CONFIG);
}

const ownEntry = (root: string, { node, script }: World['program']): object => ({
  // An absolute path: the native module was built for this Node, and the client may find another `node`.
  command: node,
  args: [script, 'serve'],
  env: { RALPH_PROJECT: root },
  // Without this Claude Code does not wait for the server, and its first turn has no tools.
  alwaysLoad: true,
});

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
