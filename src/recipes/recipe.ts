import type { RecipeName } from '../domain/context.ts';
import type { Section } from './section.ts';

/** An ordered list of sections: background first, instructions last. Conditions belong into the sections. */
export type Recipe = {
  name: RecipeName;
  summary: string;
  /** What Ralph gathers for it: one task, some drafts, or an overview of the project. */
  subject: 'task' | 'drafts' | 'project';
  /** The rules, which go into the system prompt. */
  system: readonly Section[];
  sections: readonly Section[];
  /** Ralph's tools that a session with this recipe gets. */
  tools: readonly string[];
};
