import type { PromptContext } from '../../domain/context.ts';
import { longName } from '../../domain/tasks/badge.ts';
import { code, line, list, optional, prose, under } from '../../domain/text/markdown.ts';
import { chosenLearnings } from '../learnings.ts';
import type { Section } from '../section.ts';

export const featureContext: Section = {
  name: 'feature_context',
  question: 'What domain am I in, and what was learned about it?',
  source:
    'feature: display_name, acronym, description, spec_file, architecture, boundaries, dependencies; learnings',
  render: (context) => {
    const { feature, spec, foundations, learnings: learned } = context;
    if (feature === null)
      return learned.length === 0
        ? null
        : under('## What earlier sessions learned', chosenLearnings(context));
    return under(
      `## Feature: ${line(longName(feature))}`,
      optional(feature.description),
      spec === null ? null : specText(spec),
      optional(feature.architecture, (text) => `### Architecture\n\n${prose(text)}`),
      optional(feature.boundaries, (text) => `### Boundaries\n\n${prose(text)}`),
      foundations.length === 0
        ? null
        : `### Builds on\n\n${list(foundations.map(({ name, display_name, description }) => `${display_name ?? name}${description === null ? '' : `: ${description}`}`))}`,
      feature.acceptance_criteria.length === 0
        ? null
        : `### The feature is done when\n\n${list(feature.acceptance_criteria)}`,
      learned.length === 0 ? null : `### What earlier sessions learned\n\n${chosenLearnings(context)}`,
    );
  },
};

const specText = ({ path, problem }: NonNullable<PromptContext['spec']>): string =>
  `Its specification is ${code(line(path))}${problem === null ? ': read it first, and do not modify it.' : `, which cannot be read: ${line(problem)}.`}`;
