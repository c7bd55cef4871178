import type { Section } from '../../section.ts';

export const reviewInstructions: Section = {
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
