import { Option } from 'commander';
import { DISCIPLINE_DEFAULTS } from '../../../domain/tasks/discipline.ts';
import type { Entry } from '../../../project/definitions/edit-files.ts';
import { createDiscipline, updateDiscipline } from '../../../queue/definitions/edit.ts';
import { checkDisciplineRemoval, removeDiscipline } from '../../../queue/definitions/remove.ts';
import { disciplineDetails } from '../../../queue/tasks/features.ts';
import { listAllDisciplines } from '../../../queue/tasks/list.ts';
import { disciplineTable, disciplineText } from '../../../text/definition-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { changeFiles } from '../../definitions/change-files.ts';
import { definitionCommand, withDefaults, withValues } from '../../definitions/definition-command.ts';
import { collectWords, effortOption, namedAgentOption } from '../../parse.ts';

const MORE = 'may be given more than once';

// No option for MCP servers: Ralph executes them, so a person must write them into a file.
export const discipline = definitionCommand({
  name: 'discipline',
  summary: 'list, show, add, change or remove disciplines',
  examples: [
    'ralph discipline list',
    'ralph discipline add data --system-prompt "You are a data engineer." --skill SQL',
    'ralph discipline edit data --model sonnet',
    'ralph discipline remove data --replace-with backend',
  ],
  fields: {
    display_name: new Option('--display-name <text>', 'how people see it'),
    acronym: new Option('--acronym <letters>', 'two to four letters'),
    icon: new Option('--icon <name>', 'name of an icon'),
    color: new Option('--color <color>', 'such as #2563eb'),
    system_prompt: new Option('--system-prompt <text>', 'the persona: who does the work, and with what care'),
    conventions: new Option('--conventions <text>', 'the standards its work follows'),
    skills: new Option('--skill <text>', `what it is good at; ${MORE}`).argParser(collectWords),
    agent: namedAgentOption(),
    model: new Option('--model <name>', 'the model its sessions run on'),
    effort: effortOption(),
    tools: new Option('--tool <name>', `a tool of Claude Code that its sessions get; ${MORE}`).argParser(
      collectWords,
    ),
  },
  options: [new Option('--replace-with <name>', 'remove: the discipline that its tasks get instead')],
  read: async (name, values) => {
    const { readDiscipline } = await import('../../../project/definitions/read-entry.ts');
    return withDefaults(readDiscipline({ name, ...values }).fields, values, DISCIPLINE_DEFAULTS);
  },
  list: async ({ terminal }, queue) => {
    const disciplines = await listAllDisciplines(queue);
    return { json: disciplines, text: disciplineTable(disciplines, terminal) };
  },
  show: async ({ terminal }, queue, name) => {
    const one = await disciplineDetails(queue, name);
    return { json: one, text: disciplineText(one, terminal) };
  },
  create: (queue, name, fields) => createDiscipline(queue, { name, fields }),
  update: updateDiscipline,
  remove: async ({ context, project, name, options: { yes = false, replaceWith = null } }) => {
    const isInFile = await checkDisciplineRemoval(project.queue, name, replaceWith);
    const replace = (entry: Entry): Entry =>
      entry['discipline'] === name ? withValues(entry, { discipline: replaceWith }) : entry;
    const edits = [
      { kind: 'disciplines' as const, change: (entry: Entry) => (entry['name'] === name ? null : entry) },
      { kind: 'tasks' as const, change: replace },
    ];
    return changeFiles(
      context,
      project,
      { subject: `discipline ${oneLine(name)}`, edits: isInFile ? edits : [], yes },
      () => removeDiscipline(project.queue, name, replaceWith),
    );
  },
});
