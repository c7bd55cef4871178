import { Refusal } from '../domain/refusal.ts';
import { didYouMean } from '../domain/text/did-you-mean.ts';
import { truncate, visible } from '../domain/text/text.ts';
import { explainIssue } from '../project/definitions/explain-issue.ts';
import type { Tool } from '../tools/tool.ts';

const MAX_SHOWN = 3;
const MAX_NAME_LENGTH = 60;

type CheckedArguments = {
  input: object;
  /** A sentence for the answer that names dropped arguments; empty if there are none. */
  note: string;
};

/**
 * Parses the arguments, or refuses them with the problems and a valid example. Unknown arguments are dropped: some clients
 * add their own to every call, and a verb must not be lost because of them.
 */
export function checkArguments(tool: Tool, args: unknown): CheckedArguments {
  const { success, data, error } = tool.input.safeParse(args, { reportInput: true });
  if (success) return { input: data, note: '' };
  const unknown = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' && issue.path.length === 0 ? issue.keys : [],
  );
  const others = error.issues.filter(({ code, path }) => code !== 'unrecognized_keys' || path.length > 0);
  if (others.length === 0 && typeof args === 'object' && args !== null) {
    const knownArguments = Object.entries(args).filter(([name]) => !unknown.includes(name));
    return { input: tool.input.parse(Object.fromEntries(knownArguments)), note: droppedNote(tool, unknown) };
  }
  const problems = error.issues.slice(0, MAX_SHOWN).map((issue) => {
    const { message, path } = explainIssue(issue, tool.input, 'the arguments');
    return path.length > 1 ? `${path.join('.')}: ${message}` : message;
  });
  throw new Refusal(
    `Nothing was changed. ${problems.join(' ')} ${tool.name} takes for example: ${JSON.stringify(tool.example)}`,
  );
}

function droppedNote({ name, input }: Tool, unknown: readonly string[]): string {
  const named = unknown
    .slice(0, MAX_SHOWN)
    .map((key) => `"${visible(truncate(key, MAX_NAME_LENGTH))}"${didYouMean(key, Object.keys(input.shape))}`);
  const more = unknown.length > MAX_SHOWN ? ` and ${unknown.length - MAX_SHOWN} more` : '';
  return ` Ignored, because ${name} takes no such argument: ${named.join(', ')}${more}.`;
}
