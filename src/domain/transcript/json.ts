// Reads JSON that another program wrote. Any field may be missing, of another type, or huge.

export type Json = Readonly<Record<string, unknown>>;

/** Null if the line is not a JSON object. */
export function parseJsonLine(line: string): Json | null {
  // Most lines of other agents are not JSON, and catching an exception for each is slow.
  if (!/^\s*\{/.test(line)) return null;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return null;
  }
}

export const asObject = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
export const asNumber = (value: unknown): number => numberOrNull(value) ?? 0;

export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const numberOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
