import type { PromptContext } from '../../../domain/context.ts';
import { disciplineChoice } from '../../disciplines.ts';
import type { Section } from '../../section.ts';

export const enrichmentInstructions: Section = {
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
