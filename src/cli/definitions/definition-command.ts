// `ralph feature` and `ralph discipline`: list, show, add, edit and remove what they define.
import { Argument, Option } from 'commander';
import { requirePerson } from '../../app/definitions/consent.ts';
import { type Project, withProject } from '../../app/open-project.ts';
import type { CommandContext, Output } from '../../app/world.ts';
import { Refusal } from '../../domain/refusal.ts';
import type { Entry } from '../../project/definitions/edit-files.ts';
import { requireAgents } from '../../project/require-agents.ts';
import { isInFile } from '../../queue/definitions/edit.ts';
import { maskNotice } from '../../queue/mask-input.ts';
import type { Queue } from '../../queue/queue.ts';
import { oneLine } from '../../text/terminal/style.ts';
import { type Command, defineCommand, Misuse } from '../command.ts';
import { changedFilesText, changeFiles } from './change-files.ts';

const ACTIONS = ['list', 'show', 'add', 'edit', 'remove'] as const;
type Action = (typeof ACTIONS)[number];

/** `null`: the field is cleared. */
type FieldValues = Readonly<Record<string, unknown>>;

type DefinitionKind = {
  name: 'feature' | 'discipline';
  summary: string;
  examples: readonly string[];
  /** The option of each field that a person can set here. */
  fields: Readonly<Record<string, Option>>;
  /** Options of `remove`. */
  options: readonly Option[];
  /** Checks the fields, and gives a cleared one its default. */
  read(name: string, values: FieldValues): Promise<object>;
  list(context: CommandContext, queue: Queue): Promise<Output>;
  show(context: CommandContext, queue: Queue, name: string): Promise<Output>;
  create(queue: Queue, name: string, fields: object): Promise<void>;
  update(queue: Queue, name: string, fields: object): Promise<void>;
  /** Returns the files that it changed. */
  remove(call: Call): Promise<readonly string[]>;
};

export type Call = {
  context: CommandContext;
  project: Project;
  name: string;
  options: { yes?: boolean; replaceWith?: string };
};

export function definitionCommand(kind: DefinitionKind): Command {
  const { name: noun, summary, examples, fields, options } = kind;
  return defineCommand<[action: Action, name: string | undefined], Call['options']>({
    name: noun,
    summary,
    group: 'Plan',
    args: [
      new Argument('[action]', 'what to do').choices(ACTIONS).default('list'),
      new Argument(`[${noun}]`, `name of the ${noun}; not for list`),
    ],
    options: [
      ...Object.values(fields),
      ...options,
      new Option('--yes', 'change a definition file without asking, if it defines this'),
    ],
    examples,
    run: (context, [action, name], chosen) =>
      withProject(context, async (project) => {
        const values = fieldValues(fields, chosen);
        if (Object.keys(values).length > 0 && action !== 'add' && action !== 'edit')
          throw new Misuse(`ralph ${noun} ${action} changes no field; use ralph ${noun} edit.`);
        if (action === 'list') return kind.list(context, project.queue);
        if (name === undefined)
          throw new Misuse(`Name the ${noun}: ralph ${noun} ${action} NAME; ralph ${noun} list shows all.`);
        if (action === 'show') return kind.show(context, project.queue, name);
        await requirePerson(context, project, `changes a ${noun}`);
        return change(kind, action, { context, project, name, options: chosen }, values);
      }),
  });
}

async function change(
  kind: DefinitionKind,
  action: Exclude<Action, 'list' | 'show'>,
  call: Call,
  values: FieldValues,
): Promise<Output> {
  const { name: noun } = kind;
  const { context, project, name } = call;
  const sentence = (verb: string, files: readonly string[]): string =>
    `${verb} ${noun} ${oneLine(name)}.${changedFilesText(files)}${maskNotice(project.queue, values)}`;
  if (action === 'remove') {
    const files = await kind.remove(call);
    return { json: { [noun]: name, files }, text: sentence('Removed', files) };
  }
  const fields = await kind.read(name, values);
  if (typeof values['agent'] === 'string') await requireAgents(project.root, [values['agent']]);
  if (action === 'add') await kind.create(project.queue, name, fields);
  else if (Object.keys(values).length === 0)
    throw new Refusal('Nothing to change; say what, such as --display-name "...".');
  const files = action === 'add' ? [] : await edit(kind, call, values, fields);
  const { json } = await kind.show(context, project.queue, name);
  return { json, text: sentence(action === 'add' ? 'Added' : 'Changed', files) };
}

async function edit(
  { name: noun, update }: DefinitionKind,
  { context, project, name, options: { yes = false } }: Call,
  values: FieldValues,
  fields: object,
): Promise<readonly string[]> {
  if (!(await isInFile(project.queue, noun, name, fields))) {
    await update(project.queue, name, fields);
    return [];
  }
  const change = (entry: Entry): Entry => (entry['name'] === name ? withValues(entry, values) : entry);
  return changeFiles(context, project, {
    subject: `${noun} ${oneLine(name)}`,
    edits: [{ kind: `${noun}s`, change }],
    yes,
  });
}

/** The fields that the person named, by the options that they gave. */
function fieldValues(fields: DefinitionKind['fields'], chosen: object): FieldValues {
  const values = new Map<string, unknown>(Object.entries(chosen));
  const named = Object.entries(fields).filter(([, option]) => values.has(option.attributeName()));
  return Object.fromEntries(
    named.map(([field, option]) => {
      const value = values.get(option.attributeName());
      return [field, String(value) === '' ? null : value];
    }),
  );
}

/** An entry of a file: a cleared field goes. */
export function withValues(entry: Entry, values: FieldValues): Entry {
  const merged = Object.entries({ ...entry, ...values });
  return Object.fromEntries(merged.filter(([, value]) => value !== null));
}

/** The checked fields, with the defaults of those that are cleared. */
export const withDefaults = (fields: object, values: FieldValues, defaults: object): object => ({
  ...Object.fromEntries(Object.entries(defaults).filter(([name]) => values[name] === null)),
  ...fields,
});
