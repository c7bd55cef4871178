import * as z from 'zod';
import { PASSED_VARIABLES, WITHHELD_VARIABLES } from '../../src/domain/secrets/environment.ts';
import { configSchema, recipeSchema } from '../../src/project/definitions/schema/config.ts';
import { NOTE } from './note.ts';

export type Schema = {
  description?: string;
  default?: unknown;
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
};

export function configReference(): string {
  const config = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as Schema;
  const recipe = z.toJSONSchema(recipeSchema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return `${NOTE}

# .ralph/config.yaml

Every key is optional. An unknown key is an error that names the nearest known one.

${schemaTable(config)}

## The environment of agents and gates

Agents and gates get the variables of your environment that this list names, and those that \`env\` names. A star stands for any characters, but lets no variable through whose name looks like a secret. If a gate needs a value such as \`DATABASE_URL\`, name it in \`env\`. \`ralph doctor\` lists the variables that Ralph holds back. Agents also get the variables that log Claude Code in. Nobody gets a variable that leads to the state or into a session.

- everyone: ${shownNames(PASSED_VARIABLES.gate)}
- agents, too: ${shownNames(PASSED_VARIABLES.agent.slice(PASSED_VARIABLES.gate.length))}
- nobody: ${shownNames(WITHHELD_VARIABLES)}

# .ralph/recipes/NAME.yaml

${schemaTable(recipe)}
`;
}

const shownNames = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

export function schemaTable(schema: Schema): string {
  return `| key | what it is | default |\n|---|---|---|\n${schemaRows(schema, '').join('\n')}`;
}

function schemaRows(schema: Schema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const key = `${path}${name}`;
    const inner = property.properties !== undefined ? property : (property.items ?? entrySchema(property));
    const below =
      inner?.properties === undefined
        ? []
        : schemaRows(inner, `${key}${property.items ? '[].' : property.properties ? '.' : '.NAME.'}`);
    const own =
      property.properties !== undefined
        ? []
        : [`| \`${key}\` | ${describe(property)} | ${shownDefault(property)} |`];
    return [...own, ...below];
  });
}

const entrySchema = ({ additionalProperties }: Schema): Schema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

function describe(schema: Schema): string {
  const { description, enum: values } = schema.anyOf?.find((one) => one.type !== 'null') ?? schema;
  const about = schema.description ?? description ?? '';
  return values === undefined ? about || schemaKind(schema) : `${about} (${values.join(', ')})`.trim();
}

const KINDS: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
};

function schemaKind(schema: Schema): string {
  const { type = '' } = schema.anyOf?.find((one) => one.type !== 'null') ?? schema;
  return KINDS[type] ?? '';
}

const shownDefault = (property: Schema): string =>
  property.default === undefined
    ? ''
    : property.default === null
      ? 'none'
      : `\`${JSON.stringify(property.default)}\``;
