import { askForDiscipline } from './disciplines.ts';
import type { Recipe, Section } from './recipe.ts';
import { planningContext } from './sections/planning-context.ts';
import { codebase, projectContext } from './sections/project-context.ts';
import { quotedText, userInput } from './sections/quoted-text.ts';

const braindumpInstructions: Section = {
  name: 'braindump_instructions',
  question: 'How do I turn this into tasks?',
  source: 'the recipe',
  render: (context) => `## How to turn this into tasks

The person wrote down what was on their mind, in no order. Make drafts of it; details come later, in enrichment.

1. Read it twice. Look into the code where it names something you do not know.
2. Group what belongs together. Use the features there are; call \`create_feature\` only for a domain that is really new.
3. Call \`create_tasks\` once with all drafts. Each is one session's work, has a title that starts with a verb and says the outcome, a description in
   the person's own terms, a feature, and the dependencies that are truly needed.${askForDiscipline(context)}
4. What is open among the tasks already is not made again. Wishes that are no tasks (opinions, doubts) go into the description of the task they concern.
5. Nothing the person said is lost, and nothing they did not say is added.

Then tell them in a few lines what you made, and what you were not sure of.`,
};

export const braindump: Recipe = {
  name: 'braindump',
  summary: 'turn unsorted thoughts into draft tasks',
  subject: 'project',
  system: [],
  sections: [quotedText, projectContext, codebase, planningContext, userInput, braindumpInstructions],
  tools: ['create_feature', 'create_tasks'],
};
