// Any executable: the prompt on standard input, the MCP configuration by name in the environment.
import { join } from 'node:path';
import type { Agent, Observation } from '../agent.ts';

export const commandAgent = (command: readonly string[]): Agent => ({
  launch: (plan) => ({
    command,
    env: { RALPH_MCP_CONFIG: join(plan.folder, 'mcp.json') },
    stdin: `${plan.system}\n${plan.prompt}`,
    files: { 'mcp.json': JSON.stringify({ mcpServers: plan.mcpServers }) },
  }),
  // Whatever it prints is kept and shown; what it means, it says through the verbs.
  observe: (line): Observation[] =>
    line.trim() === '' ? [] : [{ kind: 'turn', action: line.slice(0, 200) }],
});
