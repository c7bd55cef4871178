import type { Effort } from './task.ts';

export type McpServer = {
  name: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
};

export type DisciplineFields = {
  display_name: string | null;
  acronym: string | null;
  icon: string | null;
  color: string | null;
  system_prompt: string | null;
  skills: readonly string[];
  conventions: string | null;
  mcp_servers: readonly McpServer[];
  agent: string | null;
  model: string | null;
  effort: Effort | null;
  tools: readonly string[];
  /** These three are for other programs: Ralph keeps them as they are. */
  image_path: string | null;
  crops: unknown;
  image_prompt: string | null;
};

export type Discipline = DisciplineFields & { name: string; created: number; updated: number };

export const DISCIPLINE_DEFAULTS: DisciplineFields = {
  display_name: null,
  acronym: null,
  icon: null,
  color: null,
  system_prompt: null,
  skills: [],
  conventions: null,
  mcp_servers: [],
  agent: null,
  model: null,
  effort: null,
  tools: [],
  image_path: null,
  crops: null,
  image_prompt: null,
};
