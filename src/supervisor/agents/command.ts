// The adapter for any executable: it gets the prompt on standard input, and the rest of its launch in variables.
import { join } from 'node:path';
import type { AgentConfig } from '../../domain/config.ts';
import { quoteTags } from '../../domain/sessions/sigil.ts';
import { type Agent, mcpConfig, type Observation } from './agent.ts';

export const commandAgent = ({ command, protocol }: AgentConfig): Agent => ({
  executable: command[0] ?? '',
  needsServer: false,
  reportsBySigils: protocol === 'sigils',
  launch: (spec) => ({
    command,
    env: {
      RALPH_MCP_CONFIG: join(spec.access.folder, 'mcp.json'),
      RALPH_MODEL: spec.model,
      RALPH_MAX_TURNS: String(spec.max_turns),
      RALPH_BUDGET_USD: String(spec.budget_usd),
      ...(spec.effort !== null && { RALPH_EFFORT: spec.effort }),
    },
    stdin:
      protocol === 'sigils' ? quoteTags(`${spec.system}\n${spec.prompt}`) : `${spec.system}\n${spec.prompt}`,
    files: { 'mcp.json': mcpConfig(spec) },
  }),
  // Ralph stores and shows every line; the agent reports through the verbs, or by sigils.
  observe: (line): Observation[] =>
    line.trim() === '' ? [] : [{ kind: 'turn', action: line.slice(0, 200), words: line, answer: null }],
});
