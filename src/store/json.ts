// Lists and objects are text in every database; only this file knows how they are written.

export const toJson = (value: unknown): string => JSON.stringify(value);

/** The caller names the type: the column was written by `toJson` of exactly that. */
export const fromJson = <T>(text: string): T => JSON.parse(text) as T;
