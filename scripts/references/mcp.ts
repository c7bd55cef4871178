import { RECIPE_NAMES } from '../../src/domain/config.ts';
import { RECIPES } from '../../src/recipes/index.ts';
import { RESOURCES } from '../../src/resources/index.ts';
import { inputSchema } from '../../src/server/describe-tool.ts';
import { promptArguments } from '../../src/server/prompts.ts';
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
| nothing | interactive: ${INTERACTIVE_TOOLS.length} tools; \`next_task\` takes a task, and a closing verb settles it at once, gates and commit included |
| \`RALPH_RECIPE\` | interactive, with the tools of that recipe only; \`task_execution\` and \`opus_review\` are for sessions that Ralph launches |
| \`RALPH_SESSION_ID\` | refused: an agent that Ralph launched has its server already |
| \`RALPH_PROJECT\` | the project's folder, in place of the current one |

A session that Ralph launches is served by its supervisor. Its client starts \`relay.js\`, which passes the messages on and holds nothing but a token. The session
has the tools, the prompt and the listed resources of its task only; verbs are recorded, and the supervisor settles. A planning session works on its copy of the
queue. When the session has ended, or Ralph is gone, every request is answered with a sentence that begins with "Not recorded".

Over HTTP (\`/mcp\`) every request needs the bearer token that \`ralph serve --http\` printed; it is made anew at each start. Requests with a foreign Host or Origin are
refused. In the older protocol each session has a task of its own, at most 50 sessions are kept, and one that is silent for four hours gives its task back. The newer protocol has
no sessions: whoever has the token shares one task.

| recipe | tools of its sessions |
|---|---|
${RECIPE_NAMES.map((name) => `| \`${name}\` | ${RECIPES[name].tools.map((tool) => `\`${tool}\``).join(', ')} |`).join('\n')}

## Tools

A call with wrong arguments is answered with \`isError\`, the field, what was expected and an example; nothing is changed. An argument that the tool does
not know is dropped, and the answer says so. "Recorded" is said only of what is on disk. A closing verb that is said again, because the client stopped waiting
for the gates, is answered with what became of the first. The arguments marked as rare are taken from every
client, and described only to the sessions of a recipe. A verb that carries \`_meta["claudecode/toolUseId"]\` is recorded once, however often the same call arrives.

${TOOLS.map(toolSection).join('\n\n')}

## Resources

Markdown (files of a feature as they are), listed by pages of 100 and at most 300 of a kind, with completions; a subscriber hears of changes that any process makes,
and of changed files. Files are shown only if a feature names them, inside the project, and never \`.env\`, keys and the like.

| URI | what it is | for example |
|---|---|---|
${RESOURCES.map(({ uri, description }) => `| \`${uri}\` | ${description} | \`${exampleOf(uri)}\` |`).join('\n')}

## Prompts

In Claude Code each is a slash command: \`/mcp__ralph__task_execution 7\`. It splits what follows at blanks, so there the topic of a longer thought is said in the next message. Reading a
prompt takes no task: \`next_task\` does.

| prompt | what it is for | arguments | for example |
|---|---|---|---|
${RECIPE_NAMES.map(promptRow).join('\n')}
`;
}

function toolSection({ name, title, description, input, example, hints, rare = [] }: Tool): string {
  const rows = fieldRows(inputSchema(input) as Schema, '', rare);
  const table = rows.length === 0 ? '' : `\n\n| field | | |\n|---|---|---|\n${rows.join('\n')}`;
  const isInteractive = INTERACTIVE_TOOLS.some((tool) => tool.name === name);
  const nature = [
    hints.readOnly ? 'reads only' : 'changes the queue',
    ...(hints.idempotent && !hints.readOnly ? ['twice is as once'] : []),
    ...(isInteractive ? [] : ['in bound sessions only']),
  ].join(', ');
  return `### \`${name}\`\n\n${title} (${nature}). ${description}${table}\n\n\`\`\`json\n${JSON.stringify(example)}\n\`\`\``;
}

function fieldRows(
  { properties = {}, required = [] }: Schema,
  path: string,
  rare: readonly string[],
): string[] {
  return Object.entries(properties).flatMap(([field, schema]) => {
    const fallback = schema.default === undefined ? '' : ` (default ${JSON.stringify(schema.default)})`;
    const about = `${schema.description ?? ''}${fallback}${rare.includes(field) ? ' (rare)' : ''}`.trim();
    const own = `| \`${path}${field}\`${required.includes(field) ? '' : '?'} | ${kindOf(schema)} | ${about} |`;
    return [own, ...fieldRows(schema.items ?? {}, `${path}${field}[].`, rare)];
  });
}

type Schema = { properties?: Record<string, Field>; required?: string[] };
type Field = Schema & {
  type?: string | string[];
  enum?: string[];
  description?: string;
  default?: unknown;
  items?: Field;
  anyOf?: Field[];
};

function kindOf({ type, enum: values, items, anyOf }: Field): string {
  if (values !== undefined) return values.join(', ');
  if (anyOf !== undefined) return anyOf.map(kindOf).join(' or ');
  if (items !== undefined) return `list of ${kindOf(items)}`;
  if (Array.isArray(type)) return type.map((one) => kindOf({ type: one })).join(' or ');
  return (
    { string: 'text', integer: 'whole number', boolean: 'true or false', object: 'object' }[type ?? ''] ?? ''
  );
}

const exampleOf = (uri: string): string =>
  uri
    .replace('sessions/{id}', 'sessions/0b8f1c9e-6d0f-4d57-9a51-2f0c6a3f7e21')
    .replace('disciplines/{name}', 'disciplines/backend')
    .replace('{name}', 'auth')
    .replace('{id}', '7')
    .replace('{+path}', 'docs/auth.md')
    .replace('{?q,feature}', '?q=token&feature=auth');

function promptRow(name: (typeof RECIPE_NAMES)[number]): string {
  const given = promptArguments(name).map(
    ({ name: argument, description, required }) => `\`${argument}\`${required ? '' : '?'}: ${description}`,
  );
  const example = promptArguments(name).some(({ required }) => required) ? ' 7' : '';
  return `| \`${name}\` | ${RECIPES[name].summary} | ${given.join('; ')} | \`/mcp__ralph__${name}${example}\` |`;
}
