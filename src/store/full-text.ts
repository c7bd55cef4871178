// How a full-text index of SQLite is asked.

/** One word of the index, whatever the feature is called. */
export const scopeWord = (feature: string): string =>
  `f${Buffer.from(feature).toString('hex').toUpperCase()}`;

export const anyOf = (words: readonly string[]): string => words.map((word) => `"${word}"`).join(' OR ');
