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

\`ralph serve\` speaks MCP on standard input and output, \`ralph serve --http\` over streamable HTTP. Both speak the protocol of 2026-07-28, that of 2025-11-25, and older ones.

| environment | what the server then is |
|---|---|
| nothing | interactive, with ${INTERACTIVE_TOOLS.length} tools. \`next_task\` takes a task and names the folder to work in. A closing verb (\`done\`, \`partial\`, \`stuck\`) settles it at once, with gates and landing |
| \`RALPH_RECIPE\` | interactive, with the tools of that recipe only; \`task_execution\` and \`opus_review\` are for sessions that Ralph launches |
| \`RALPH_SESSION_ID\` | refused: an agent that Ralph launched has its server already |
| \`RALPH_PROJECT\` | the project's folder, in place of the current one |

The supervisor serves the sessions that it launches. The agent's client starts \`relay.js\`, which passes messages on and holds only a token. Such a session has only the tools, the prompt and the listed resources of its task. The server records the verbs; the supervisor settles the task when the agent has ended. A planning session works on its copy of the queue. When the session has ended, or Ralph is gone, every request gets an answer that begins with "Not recorded".

Over HTTP (\`/mcp\`) every request needs the bearer token that \`ralph serve --http\` printed. Each start makes a new token. The server refuses requests with a foreign Host or Origin.

- In the older protocol each session has a task of its own. The server keeps at most 50 sessions. A session that is silent for four hours gives its task back.
- The newer protocol has no sessions: all clients with the token share one task.

| recipe | tools of its sessions |
|---|---|
${RECIPE_NAMES.map((name) => `| \`${name}\` | ${RECIPES[name].tools.map((tool) => `\`${tool}\``).join(', ')} |`).join('\n')}

## Tools

- A call with wrong arguments changes nothing. The answer has \`isError\`, the field, what was expected, and an example.
- Ralph drops an argument that the tool does not know, and the answer says so.
- Ralph answers "Recorded" only after the data is on disk.
- A client may stop waiting for the gates and call a closing verb again. Then the answer says what became of the first call.
- Every client may use the arguments marked as rare. Only the sessions of a recipe see their descriptions.
- Ralph records a verb with \`_meta["claudecode/toolUseId"]\` once, however often the same call arrives.

${TOOLS.map(toolSection).join('\n\n')}

## Resources

Resources are Markdown, except for files of a feature, which Ralph sends as they are. Ralph lists them in pages of 100, at most 300 of a kind, and completes their names. Ralph notifies subscribers of changed files, and of changes that any process makes. It shows a file only if a feature names it and it is inside the project. It never shows \`.env\`, keys and the like.

| URI | what it is | for example |
|---|---|---|
${RESOURCES.map(({ uri, description }) => `| \`${uri}\` | ${description} | \`${exampleUri(uri)}\` |`).join('\n')}

## Prompts

In Claude Code each prompt is a slash command: \`/mcp__ralph__task_execution 7\`. Claude Code splits its arguments at spaces, so write a topic of several words into the next message. A prompt takes no task; \`next_task\` does.

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
    ...(hints.idempotent && !hints.readOnly ? ['may be repeated'] : []),
    ...(isInteractive ? [] : ['only in sessions of Ralph']),
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
    const own = `| \`${path}${field}\`${required.includes(field) ? '' : '?'} | ${fieldKind(schema)} | ${about} |`;
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

function fieldKind({ type, enum: values, items, anyOf }: Field): string {
  if (values !== undefined) return values.join(', ');
  if (anyOf !== undefined) return anyOf.map(fieldKind).join(' or ');
  if (items !== undefined) return `list of ${fieldKind(items)}`;
  if (Array.isArray(type)) return type.map((one) => fieldKind({ type: one })).join(' or ');
  return (
    { string: 'text', integer: 'whole number', boolean: 'true or false', object: 'object' }[type ?? ''] ?? ''
  );
}

const exampleUri = (uri: string): string =>
  uri
    .replace('sessions/{id}', 'sessions/0b8f1c9e-6d0f-4d57-9a51-2f0c6a3f7e21')
    .replace('disciplines/{name}', 'disciplines/backend')
    .replace('{name}', 'auth')
    .replace('{id}', '7')
    .replace('{+path}', 'docs/auth.md')
    .replace('{?q,feature}', '?q=token&feature=auth');

function promptRow(name: (typeof RECIPE_NAMES)[number]): string {
  const argumentLines = promptArguments(name).map(
    ({ name: argument, description, required }) => `\`${argument}\`${required ? '' : '?'}: ${description}`,
  );
  const example = promptArguments(name).some(({ required }) => required) ? ' 7' : '';
  return `| \`${name}\` | ${RECIPES[name].summary} | ${argumentLines.join('; ')} | \`/mcp__ralph__${name}${example}\` |`;
}
