import { RECIPE_NAMES } from '../../src/domain/config.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import { inputSchemaOf } from '../../src/server/describe-tool.ts';
import { argumentsOf } from '../../src/server/prompts.ts';
import { INTERACTIVE_TOOLS, TOOLS } from '../../src/tools/index.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { NOTE } from './note.ts';

export function mcpReference(): string {
  return `${NOTE}

# What Ralph serves over MCP

\`ralph serve\` speaks MCP on standard input and output, \`ralph serve --http\` over streamable HTTP; both in the protocol of 2025-11-25 (and
older) and of 2026-07-28.

| environment | what the server then is |
|---|---|
| nothing | interactive: ${INTERACTIVE_TOOLS.length} tools; \`next_task\` takes a task, and a closing verb settles it at once |
| \`RALPH_SESSION_ID\`, \`RALPH_TASK_ID\`, \`RALPH_RECIPE\` | bound to a session: the tools of its recipe only; verbs are recorded, whoever launched the session settles |
| \`RALPH_PROJECT\` | the project's folder, in place of the current one |

| recipe | tools of its sessions |
|---|---|
${RECIPE_NAMES.map((name) => `| \`${name}\` | ${RECIPES[name].tools.map((tool) => `\`${tool}\``).join(', ')} |`).join('\n')}

## Tools

A call with wrong arguments is answered with \`isError\`, the field, what was expected and an example; nothing is changed. "Recorded" is said only of what
is on disk. A verb that carries \`_meta["claudecode/toolUseId"]\` is recorded once, however often the same call arrives.

${TOOLS.map(toolSection).join('\n\n')}

## Resources

Markdown, listed by pages of 100, with completions; a subscriber hears of changes that any process makes, and of changed files.

| URI | what it is |
|---|---|
${RESOURCES.map(({ uri, description }) => `| \`${uri}\` | ${description} |`).join('\n')}

## Prompts

In Claude Code each is a slash command: \`/mcp__ralph__task_execution 7\`.

| prompt | what it is for | arguments |
|---|---|---|
${RECIPE_NAMES.map(promptRow).join('\n')}
`;
}

function toolSection({ name, title, description, input, example, hints }: Tool): string {
  const { properties = {}, required = [] } = inputSchemaOf(input) as Schema;
  const rows = Object.entries(properties).map(
    ([field, schema]) =>
      `| \`${field}\`${required.includes(field) ? '' : '?'} | ${kindOf(schema)} | ${schema.description ?? ''} |`,
  );
  const table = rows.length === 0 ? '' : `\n\n| field | | |\n|---|---|---|\n${rows.join('\n')}`;
  const nature = [
    hints.readOnly ? 'reads only' : 'changes the queue',
    ...(hints.idempotent && !hints.readOnly ? ['twice is as once'] : []),
  ].join(', ');
  return `### \`${name}\`\n\n${title} (${nature}). ${description}${table}\n\n\`\`\`json\n${JSON.stringify(example)}\n\`\`\``;
}

type Schema = { properties?: Record<string, Field>; required?: string[] };
type Field = { type?: string; enum?: string[]; description?: string; items?: Field; anyOf?: Field[] };

function kindOf({ type, enum: values, items, anyOf }: Field): string {
  if (values !== undefined) return values.join(', ');
  if (anyOf !== undefined) return anyOf.map(kindOf).join(' or ');
  if (items !== undefined) return `list of ${kindOf(items)}`;
  return (
    { string: 'text', integer: 'whole number', boolean: 'true or false', object: 'object' }[type ?? ''] ?? ''
  );
}

function promptRow(name: (typeof RECIPE_NAMES)[number]): string {
  const given = argumentsOf(name).map(
    ({ name: argument, description, required }) => `\`${argument}\`${required ? '' : '?'}: ${description}`,
  );
  return `| \`${name}\` | ${RECIPES[name].summary} | ${given.join('; ')} |`;
}
