// What an agent's process is started with, where a test needs no project.
import type { LaunchSpec } from '../../src/supervisor/agent.ts';

export const specIn = (folder: string): LaunchSpec => ({
  session_id: crypto.randomUUID(),
  client_id: crypto.randomUUID(),
  recipe: 'task_execution',
  argument: '1',
  root: folder,
  folder,
  model: 'haiku',
  effort: null,
  max_turns: 1,
  budget_usd: 1,
  permissions: 'default',
  tools: [],
  system: '',
  prompt: '',
  learnings: [],
  variant: null,
  env: {},
  envNames: [],
  mcpServers: {},
  ralph: [],
});
