import { Refusal } from '../domain/refusal.ts';
import { explainIssue } from '../knowledge/explain-issue.ts';
import type { Tool } from '../tools/tool.ts';

const SHOWN = 3;

/** The arguments as the tool takes them, or what is wrong with them, with an example that would be accepted. */
export function checkArguments(tool: Tool, given: unknown): object {
  const { success, data, error } = tool.input.safeParse(given, { reportInput: true });
  if (success) return data;
  const problems = error.issues.slice(0, SHOWN).map((issue) => {
    const { message, path } = explainIssue(issue, tool.input, 'the arguments');
    return path.length > 1 ? `${path.join('.')}: ${message}` : message;
  });
  throw new Refusal(
    `Nothing was changed. ${problems.join(' ')} ${tool.name} takes for example: ${JSON.stringify(tool.example)}`,
  );
}
