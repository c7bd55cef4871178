import type { PromptContext, RecipeName } from '../domain/context.ts';

/** One part of a prompt: a pure function from the context to text, or null if there is nothing to say. */
export type Section = {
  name: string;
  /** What an agent without memory would otherwise have to find out. */
  question: string;
  /** Where the answer comes from. */
  source: string;
  render: (context: PromptContext) => string | null;
};

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
