import { fence, optional, under } from '../domain/text/markdown.ts';
import { changesText } from './changes.ts';
import type { Recipe, Section } from './recipe.ts';
import { decisions } from './sections/decisions.ts';
import { disciplinePersona } from './sections/discipline-persona.ts';
import { featureContext } from './sections/feature-context.ts';
import { featureFiles } from './sections/files.ts';
import { projectContext } from './sections/project-context.ts';
import { quotedText } from './sections/quoted-text.ts';
import { reviewedTask } from './sections/task-details.ts';

const UNKNOWN = 'Ralph does not know which files it changed: read those that the task and the summary name.';

const reviewSubject: Section = {
  name: 'review_subject',
  question: 'What was changed, and what did the session say of it?',
  source: 'the tree before the work, the tree that the gates saw, the summary of the session',
  render: (context) =>
    under(
      '## Here is the work to review',
      optional(context.claimed_summary, (text) => `The session said of it:\n\n${fence(text)}`),
      optional(changesText(context), (text) => `What it changed:\n\n${text}`) ??
        (context.changes === null ? UNKNOWN : 'It changed no file.'),
    ),
};

const reviewInstructions: Section = {
  name: 'review_instructions',
  question: 'How do I judge it, and how do I say so?',
  source: 'the recipe',
  render: () => `## How to review

The gates have passed; you look for what gates cannot see. Read the changed code in its surroundings, not the diff alone.

1. Is each criterion of the task met? Name the line that meets it, or that it is not met.
2. Is it correct at the edges: empty, many, wrong, concurrent, interrupted?
3. Would the tests fail if the behaviour were wrong? A test that cannot fail counts as missing.
4. Does it do only what the task asks, in the way this codebase does things?

Change nothing yourself. Finish with one call:

- \`approve\` if you would merge it as it is. Remarks that need no change do not stand in the way.
- \`request_changes\` otherwise: each change concrete enough that somebody without your context can make it, most important first.`,
};

export const opusReview: Recipe = {
  name: 'opus_review',
  summary: 'review a done task',
  subject: 'task',
  system: [],
  sections: [
    quotedText,
    projectContext,
    disciplinePersona,
    featureContext,
    decisions,
    featureFiles,
    reviewedTask,
    reviewSubject,
    reviewInstructions,
  ],
  tools: ['approve', 'request_changes'],
};
