import type { PromptContext } from '../../domain/context.ts';
import { LEARNING_KINDS } from '../../domain/signal.ts';
import { line, list, optional, prose, under } from '../markdown.ts';
import type { Section } from '../section.ts';

export const featureContext: Section = {
  name: 'feature_context',
  question: 'What domain am I in, and what was learned about it?',
  source: 'feature: description, architecture, boundaries, dependencies; learnings',
  render: (context) => {
    const { feature, foundations, learned } = context;
    if (feature === null)
      return learned.length === 0 ? null : under('## What earlier sessions learned', learnings(context));
    return under(
      `## Feature: ${line(feature.display_name ?? feature.name)}`,
      optional(feature.description),
      optional(feature.architecture, (text) => `### Architecture\n\n${prose(text)}`),
      optional(feature.boundaries, (text) => `### Boundaries\n\n${prose(text)}`),
      foundations.length === 0
        ? null
        : `### Builds on\n\n${list(foundations.map(({ name, display_name, description }) => `${display_name ?? name}${description === null ? '' : `: ${description}`}`))}`,
      feature.acceptance_criteria.length === 0
        ? null
        : `### The feature is done when\n\n${list(feature.acceptance_criteria)}`,
      learned.length === 0 ? null : `### What earlier sessions learned\n\n${learnings(context)}`,
    );
  },
};

/** Grouped by kind, in a fixed order; within a kind the most relevant first, as they were chosen. */
function learnings({ learned }: PromptContext): string {
  return LEARNING_KINDS.flatMap((kind) => {
    const items = learned.filter(({ category }) => category === kind);
    if (items.length === 0) return [];
    return [
      `**${kind}**\n${list(items.map(({ body, reason }) => (reason === null ? body : `${body} (why: ${reason})`)))}`,
    ];
  }).join('\n\n');
}
