import type { PromptContext } from '../domain/context.ts';
import { line, optional, under } from '../domain/text/markdown.ts';
import { disciplineChoice } from './disciplines.ts';
import { taskText, taskTitle } from './quoted.ts';
import type { Recipe, Section } from './recipe.ts';
import { featureContext } from './sections/feature-context.ts';
import { featureFiles } from './sections/files.ts';
import { planningContext } from './sections/planning-context.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';

const drafts: Section = {
  name: 'drafts',
  question: 'Which drafts are to be enriched?',
  source: 'tasks in status draft',
  render: ({ drafts: all }) =>
    all.length === 0
      ? null
      : under(
          '## Drafts to enrich',
          ...all.map(({ id, description, feature, discipline, ...task }) => {
            const place = [...(feature === null ? [] : [feature]), discipline ?? 'no discipline'].map(line);
            return under(
              `### #${id} ${taskTitle(task)} (${place.join(', ')})`,
              optional(description, (text) => taskText(text, task.provenance === 'agent')) ??
                'No description yet.',
            );
          }),
        ),
};

const enrichmentInstructions: Section = {
  name: 'enrichment_instructions',
  question: 'What makes a draft ready?',
  source: 'the recipe',
  render: (context) =>
    context.drafts.length === 0
      ? null
      : `## How to enrich

Each draft will be done by a fresh session on a small model that knows nothing but what you write. Read the code first.

For each draft call \`enrich_task\` once, with:

- **pseudocode**: the steps in order, naming real files, functions and types you have seen. No step that says "handle errors": say which and how.
- **acceptance_criteria**: three to six outcomes that a test or a look can confirm. No "works correctly".
- **context_files**: the files that must be read, the pattern to follow first; at most eight.
- **output_artifacts**: the files to create or change.
- **estimated_turns**: honest; a task over 40 turns is two tasks.
- **depends_on**: what must be done first, and only that.${discipline(context)}

If a draft is unclear, say in its description what is unclear and which reading you chose. If it is wrong or done already, say that and leave it a draft.
Do not write code.`,
};

function discipline(context: PromptContext): string {
  const choice = disciplineChoice(context);
  return choice === null ? '' : `\n- **discipline**: ${choice}, if it has none or the wrong one.`;
}

export const enrichment: Recipe = {
  name: 'enrichment',
  summary: 'make drafts ready to be done',
  subject: 'drafts',
  system: [],
  sections: [
    quotedText,
    projectContext,
    planningContext,
    featureContext,
    featureFiles,
    drafts,
    enrichmentInstructions,
  ],
  tools: ['enrich_task'],
};
