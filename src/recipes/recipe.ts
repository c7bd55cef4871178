import type { RecipeName } from '../domain/context.ts';
import type { Section } from './section.ts';

/** An ordered list of sections, without conditions: those live in the sections. Background first, instructions last. */
export type Recipe = {
  name: RecipeName;
  summary: string;
  /** What is gathered for it: one task, some drafts, or an overview of the project. */
  subject: 'task' | 'drafts' | 'project';
  /** Goes into the system prompt: the rules. */
  system: readonly Section[];
  sections: readonly Section[];
  /** The tools that a session with this recipe has of Ralph. */
  tools: readonly string[];
};
