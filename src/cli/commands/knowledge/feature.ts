import { Option } from 'commander';
import { FEATURE_DEFAULTS } from '../../../domain/tasks/feature.ts';
import { createFeature, updateFeature } from '../../../queue/definitions/edit.ts';
import { checkFeatureRemoval, removeFeature } from '../../../queue/definitions/remove.ts';
import { featureDetails, featureProgress } from '../../../queue/tasks/features.ts';
import { featureTable, featureText } from '../../../text/definition-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { changeFiles } from '../../definitions/change-files.ts';
import { definitionCommand, withDefaults } from '../../definitions/definition-command.ts';
import { collectWords } from '../../parse.ts';

const MORE = 'may be given more than once';

const parseNames = (word: string): string[] =>
  word
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** A word such as "high" is understood as in definition files. */
const parsePriority = (word: string): number | string => (/^\d+$/.test(word) ? Number(word) : word);

export const feature = definitionCommand({
  name: 'feature',
  summary: 'list, show, add, change or remove features',
  examples: [
    'ralph feature list',
    'ralph feature add auth --description "Sign-in with sessions" --knowledge docs/auth.md',
    'ralph feature edit auth --priority 1 --depends-on billing',
    'ralph feature edit auth --status deprecated',
    'ralph feature remove auth',
  ],
  fields: {
    display_name: new Option('--display-name <text>', 'how people see it'),
    acronym: new Option('--acronym <letters>', 'two to four letters'),
    description: new Option('--description <text>', 'what it is, in a few sentences'),
    architecture: new Option('--architecture <text>', 'how it is built'),
    boundaries: new Option('--boundaries <text>', 'what it does not touch'),
    dependencies: new Option('--depends-on <names>', 'features it builds on, such as auth,billing').argParser(
      parseNames,
    ),
    knowledge_paths: new Option(
      '--knowledge <path>',
      `document to know: file, folder or glob; ${MORE}`,
    ).argParser(collectWords),
    context_files: new Option(
      '--context-file <path>',
      `code to know: file, folder or glob; ${MORE}`,
    ).argParser(collectWords),
    priority: new Option('--priority <n>', '1 goes first').argParser(parsePriority),
    status: new Option('--status <status>', 'where it stands').choices(['planned', 'active', 'deprecated']),
    spec_file: new Option('--spec <file>', 'the specification it comes from'),
    acceptance_criteria: new Option(
      '--criterion <text>',
      `what must hold when it is done; ${MORE}`,
    ).argParser(collectWords),
  },
  options: [],
  read: async (name, values) => {
    const { readFeature } = await import('../../../project/definitions/read-entry.ts');
    return withDefaults(readFeature({ name, ...values }).fields, values, {
      ...FEATURE_DEFAULTS,
      status: 'active',
    });
  },
  list: async ({ terminal }, queue) => {
    const { features } = await featureProgress(queue);
    return {
      json: features.map(({ feature: one, ...progress }) => ({ ...one, ...progress })),
      text: featureTable(features, terminal),
    };
  },
  show: async ({ terminal }, queue, name) => {
    const details = await featureDetails(queue, name);
    const { feature: one, ...rest } = details;
    return { json: { ...one, ...rest }, text: featureText(details, terminal) };
  },
  create: (queue, name, fields) => createFeature(queue, { name, fields }),
  update: updateFeature,
  remove: async ({ context, project, name, options: { yes = false } }) => {
    const isInFile = await checkFeatureRemoval(project.queue, name);
    const edits = [
      {
        kind: 'features' as const,
        change: (entry: { name?: unknown }) => (entry.name === name ? null : entry),
      },
    ];
    return changeFiles(
      context,
      project,
      { subject: `feature ${oneLine(name)}`, edits: isInFile ? edits : [], yes },
      () => removeFeature(project.queue, name),
    );
  },
});
