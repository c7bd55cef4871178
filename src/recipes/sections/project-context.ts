import { fence, line, optional, prose, under } from '../../domain/text/markdown.ts';
import { fileTree } from '../file-tree.ts';
import type { Section } from '../recipe.ts';

export const projectContext: Section = {
  name: 'project_context',
  question: 'What project is this?',
  source: 'metadata, CLAUDE.RALPH.md',
  render: ({ project }) =>
    [
      `# Project: ${line(project.title)}`,
      optional(project.description),
      project.notes === null ? null : under('## Project notes', prose(project.notes)),
    ]
      .filter((part) => part !== null)
      .join('\n\n'),
};

/** Enough to know where to look; an agent can list the rest itself. */
const MAX_TOKENS = 1_900;

export const codebase: Section = {
  name: 'codebase',
  question: 'What code is there, and where?',
  source: 'the files of the repository that git does not ignore',
  render: ({ codebase: paths }) =>
    paths.length === 0
      ? null
      : under(
          '## The codebase',
          'The files of the project, without those that git ignores. A folder with a number holds so many files, which are not listed.',
          fence(fileTree(paths, MAX_TOKENS), 'text'),
        ),
};
