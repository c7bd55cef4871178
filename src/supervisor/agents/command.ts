// Any executable: the prompt on standard input, the MCP configuration by name in the environment.
import { join } from 'node:path';
import type { AgentConfig } from '../../domain/config.ts';
import type { Agent, Observation } from '../agent.ts';
import { parseSigil } from '../sigils.ts';

/** An agent that prints what it was told must not be taken at the words of a task or a file. */
const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => (parseSigil(line) === null ? line : `> ${line}`))
    .join('\n');

export const commandAgent = ({ command, protocol }: AgentConfig): Agent => ({
  executable: command[0] ?? '',
  needsServer: false,
  launch: (plan) => ({
    command,
    env: { RALPH_MCP_CONFIG: join(plan.folder, 'mcp.json') },
    stdin:
      protocol === 'sigils' ? quoted(`${plan.system}\n${plan.prompt}`) : `${plan.system}\n${plan.prompt}`,
    files: { 'mcp.json': JSON.stringify({ mcpServers: plan.mcpServers }) },
  }),
  // Whatever it prints is kept and shown; what it means, it says through the verbs, or by sigils.
  observe: (line): Observation[] => {
    if (line.trim() === '') return [];
    const sigil = protocol === 'sigils' ? parseSigil(line) : null;
    if (sigil !== null) return [{ kind: 'sigil', sigil }];
    return [{ kind: 'turn', action: line.slice(0, 200), words: line, answer: null }];
  },
});
