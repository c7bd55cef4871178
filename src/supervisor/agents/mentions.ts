// Gemini CLI, and Qwen Code that comes from it, put the content of a file or a whole folder into a prompt that names it after an `@`.

/** Tasks name packages and people like that, and mean no file. */
export const withoutMentions = (prompt: string): string =>
  prompt.includes('@')
    ? `In this text, \`\\@\` stands for an at sign.\n${prompt.replaceAll('@', '\\@')}`
    : prompt;
