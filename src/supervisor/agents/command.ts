// The adapter for any executable: it gets the prompt on standard input, and the rest of its launch in variables.
import { join } from 'node:path';
import type { AgentConfig } from '../../domain/config.ts';
import type { Agent, Observation } from '../agent.ts';
import { parseSigil } from '../sigils.ts';

/** An agent may echo its prompt: a sigil in the text of a task or a file must not count as the agent's. */
const quoteSigils = (text: string): string =>
  text
    .split('\n')
    .map((line) => (parseSigil(line) === null ? line : `> ${line}`))
    .join('\n');

export const commandAgent = ({ command, protocol }: AgentConfig): Agent => ({
  executable: command[0] ?? '',
  needsServer: false,
  launch: (spec) => ({
    command,
    env: {
      RALPH_MCP_CONFIG: join(spec.folder, 'mcp.json'),
      RALPH_MODEL: spec.model,
      RALPH_MAX_TURNS: String(spec.max_turns),
      RALPH_BUDGET_USD: String(spec.budget_usd),
    },
    stdin:
      protocol === 'sigils'
        ? quoteSigils(`${spec.system}\n${spec.prompt}`)
        : `${spec.system}\n${spec.prompt}`,
    files: { 'mcp.json': JSON.stringify({ mcpServers: spec.mcpServers }) },
  }),
  // Ralph stores and shows every line; the agent reports through the verbs, or by sigils.
  observe: (line): Observation[] => {
    if (line.trim() === '') return [];
    const sigil = protocol === 'sigils' ? parseSigil(line) : null;
    if (sigil !== null) return [{ kind: 'sigil', sigil }];
    return [{ kind: 'turn', action: line.slice(0, 200), words: line, answer: null }];
  },
});
