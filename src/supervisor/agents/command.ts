// The adapter for any executable: it gets the prompt on standard input, and the rest of its launch in variables or placeholders.
import { join } from 'node:path';
import type { AgentConfig } from '../../domain/config.ts';
import { fillCommand, matchFault } from '../../domain/sessions/command-agent.ts';
import { quoteTags } from '../../domain/sessions/sigil.ts';
import { type Agent, type Launchable, mcpConfig, type Observation } from './agent.ts';
import { observeLine } from './observe-stream.ts';

export const commandAgent = ({ command, protocol, stream, faults }: AgentConfig): Agent => ({
  executable: command[0] ?? '',
  needsServer: false,
  reportsBySigils: protocol === 'sigils',
  launch: (spec) => {
    const text = `${spec.system}\n${spec.prompt}`;
    const prompt = protocol === 'sigils' ? quoteTags(text) : text;
    return {
      command: fillCommand(command, {
        mcp_config: accessFile(spec, 'mcp.json'),
        prompt_file: accessFile(spec, 'prompt.md'),
        model: spec.model ?? '',
        max_turns: String(spec.max_turns),
        budget: String(spec.budget_usd),
        session_id: spec.client_id,
      }),
      env: {
        RALPH_MCP_CONFIG: accessFile(spec, 'mcp.json'),
        RALPH_MODEL: spec.model ?? '',
        RALPH_MAX_TURNS: String(spec.max_turns),
        RALPH_BUDGET_USD: String(spec.budget_usd),
        ...(spec.effort !== null && { RALPH_EFFORT: spec.effort }),
      },
      stdin: prompt,
      files: {
        'mcp.json': mcpConfig(spec),
        ...(command.some((word) => word.includes('{prompt_file}')) && { 'prompt.md': prompt }),
      },
    };
  },
  observe: stream === 'lines' ? observePlain : observeLine,
  explain: (end) => matchFault(faults, end),
});

const accessFile = ({ access }: Launchable, name: string): string => join(access.folder, name);

/** Ralph stores and shows every line; the agent reports through the verbs, or by sigils. */
const observePlain = (line: string): Observation[] =>
  line.trim() === '' ? [] : [{ kind: 'turn', action: line.slice(0, 200), words: line, answer: null }];
