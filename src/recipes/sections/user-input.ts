import { optional, quote } from '../../domain/text/markdown.ts';
import type { Section } from '../section.ts';

export const userInput: Section = {
  name: 'user_input',
  question: 'What does the person want?',
  source: 'what the person said or the file they gave',
  render: ({ input }) => optional(input, (text) => `## What the person said\n\n${quote(text)}`),
};
