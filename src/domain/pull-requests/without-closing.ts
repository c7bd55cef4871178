const CLOSES =
  /\b(close[sd]?|fix(?:es|ed)?|resolve[sd]?)(:?\s+)(?=(?:[\w.-]+\/[\w.-]+)?#\d|GH-\d|https?:\/\/\S+\/issues\/\d)/gi;

/**
 * GitHub closes an issue if "fixes #4" reaches the default branch in a commit; a squash makes the title of a pull request the subject
 * of one. Words of agents and of imported issues must not do that.
 */
export const withoutClosing = (text: string): string => text.replace(CLOSES, '$1$2issue ');
