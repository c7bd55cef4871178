// Lists and objects are stored as text; only this file knows the encoding.

export const toJson = (value: unknown): string => JSON.stringify(value);

/** The caller names the type: `toJson` wrote the column from a value of that type. */
export const fromJson = <T>(text: string): T => JSON.parse(text) as T;
