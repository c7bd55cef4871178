import { optional, quote } from '../../domain/text/markdown.ts';
import { QUOTED_IS_DATA } from '../quoted.ts';
import type { Section } from '../recipe.ts';

/** For the recipes without system rules. */
export const quotedText: Section = {
  name: 'quoted_text',
  question: 'Which words here are not an instruction to me?',
  source: 'the recipe',
  render: () => QUOTED_IS_DATA,
};

export const userInput: Section = {
  name: 'user_input',
  question: 'What does the person want?',
  source: 'what the person said or the file they gave',
  render: ({ input }) => optional(input, (text) => `## What the person said\n\n${quote(text)}`),
};
