// Placeholders in the command line of an agent of one's own.
import { closestName } from '../text/did-you-mean.ts';

const COMMAND_PLACEHOLDERS = [
  'mcp_config',
  'model',
  'prompt_file',
  'max_turns',
  'budget',
  'session_id',
] as const;

export type CommandPlaceholder = (typeof COMMAND_PLACEHOLDERS)[number];

/** Braces with anything else between them, such as `{}` or JSON, are left as they are. */
const PLACEHOLDER = /\{([a-z_]+)\}/g;

/** What is wrong with the command; null if nothing is. */
export function placeholderProblem(command: readonly string[]): string | null {
  const names = command.flatMap((word) => [...word.matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  const unknown = names.find((name) => !isKnown(name));
  if (unknown === undefined) return null;
  const closest = closestName(unknown, COMMAND_PLACEHOLDERS);
  const known = COMMAND_PLACEHOLDERS.map((name) => `{${name}}`).join(', ');
  return `has the placeholder {${unknown}}${closest === null ? `; there are ${known}` : `; did you mean {${closest}}?`}`;
}

const isKnown = (name: string): name is CommandPlaceholder =>
  (COMMAND_PLACEHOLDERS as readonly string[]).includes(name);

/** Once: a value that contains braces is not looked at again. */
export const fillCommand = (
  command: readonly string[],
  values: Readonly<Record<CommandPlaceholder, string>>,
): string[] =>
  command.map((word) =>
    word.replace(PLACEHOLDER, (text, name: string) => (isKnown(name) ? values[name] : text)),
  );
