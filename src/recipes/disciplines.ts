import type { PromptContext } from '../domain/context.ts';
import { code, line } from '../domain/text/markdown.ts';

/** More are listed in the planning context. */
const MAX_NAMED = 40;

/** Asks for a discipline by its name; null if the project has none. */
export function disciplineChoice({ disciplines }: Pick<PromptContext, 'disciplines'>): string | null {
  if (disciplines.length === 0) return null;
  const names = disciplines.slice(0, MAX_NAMED).map(({ name }) => code(line(name)));
  if (names.length === 1) return names.join();
  return `one of ${names.join(', ')}${disciplines.length > MAX_NAMED ? ', or another of those above' : ''}`;
}

/** The same for the instructions that describe a task in a sentence. */
export function askForDiscipline(context: Pick<PromptContext, 'disciplines'>): string {
  const choice = disciplineChoice(context);
  return choice === null ? '' : `\n   Give each task the discipline that fits its work: ${choice}.`;
}
