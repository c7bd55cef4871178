// What a client calls the verbs: prompts say `done`, whatever the client.

/** The sentence that a prompt begins with. */
export const verbNames = (name: (verb: string) => string): string =>
  `In this program Ralph's MCP tools have longer names: \`done\` is \`${name('done')}\`, \`partial\` is \`${name('partial')}\`, \`stuck\` is \`${name('stuck')}\`, and so for all the others.`;
