import type { Recipe, Section } from './recipe.ts';
import { stateFiles } from './sections/files.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText, userInput } from './sections/quoted-text.ts';

const discussInstructions: Section = {
  name: 'discuss_instructions',
  question: 'How do I argue a question out?',
  source: 'the recipe',
  render: () => `## How to discuss

The person wants the best answer to one question, not agreement.

1. State the question in one sentence and what a good answer must satisfy. Have them correct it.
2. Give the two or three answers that a good engineer could defend, each in its strongest form, with what it costs here: in this code, for these users.
3. Argue against the one they lean to. Concede a point when it is made; do not soften one that stands.
4. Check facts in the code before you rest an argument on them.
5. End with a recommendation, the reason that decided it, and what would change your mind.

When it is decided, record the decision and its reason with \`append_learning\` (kind: decision), and the work that follows from it as drafts
with \`create_tasks\`. Do not write code.`,
};

export const discuss: Recipe = {
  name: 'discuss',
  summary: 'argue one question out',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, stateFiles, planningContext, userInput, discussInstructions],
  tools: ['create_tasks', 'append_learning'],
};
