// Reads lines of Claude Code's stream-json. Any field may be missing, of another type, or huge.

export type Json = Readonly<Record<string, unknown>>;

export function parseJsonLine(line: string): Json | null {
  // Most lines of other agents are not JSON, and catching an exception for each is slow.
  if (!/^\s*\{/.test(line)) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
}

/** The content of a message is a list of blocks or one text. */
export function blocksOf(json: Json): Json[] {
  const { content } = asObject(json['message']);
  return typeof content === 'string' ? [{ type: 'text', text: content }] : asList(content).map(asObject);
}

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asNumber = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** A tool's result as text. A part that cannot be printed, such as an image, is named. */
export function toolResultText(content: unknown): string {
  if (typeof content === 'string') return content.trimEnd();
  const parts = asList(content).map(asObject);
  return parts
    .map(({ type, text }) => (typeof text === 'string' ? text : `(${asText(type) || 'something'})`))
    .join('\n')
    .trimEnd();
}
