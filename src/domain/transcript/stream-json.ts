// Lines of Claude Code's stream-json. Nothing is believed of a line: every field may be missing, of another type, or huge.

export type Json = Readonly<Record<string, unknown>>;

export function parseLine(line: string): Json | null {
  // Most lines of other agents are no JSON, and finding that out by an exception is slow.
  if (!/^\s*\{/.test(line)) return null;
  try {
    return objectOf(JSON.parse(line));
  } catch {
    return null;
  }
}

/** A message is a list of blocks, or one text. */
export function blocksOf(said: Json): Json[] {
  const { content } = objectOf(said['message']);
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf);
}

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** What a tool answered, as text; what cannot be printed, an image for one, is named. */
export function answerOf(content: unknown): string {
  if (typeof content === 'string') return content.trimEnd();
  const parts = listOf(content).map(objectOf);
  return parts
    .map(({ type, text }) => (typeof text === 'string' ? text : `(${textOf(type) || 'something'})`))
    .join('\n')
    .trimEnd();
}
