import type { PromptContext } from '../domain/context.ts';

/** One part of a prompt: a pure function from the context to text, or null if there is nothing to say. */
export type Section = {
  name: string;
  /** What an agent without memory would otherwise have to find out. */
  question: string;
  /** Where the answer comes from. */
  source: string;
  render: (context: PromptContext) => string | null;
};
