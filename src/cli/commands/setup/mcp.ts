import { defineCommand } from '../../command.ts';

export const mcp = defineCommand<[]>({
  name: 'mcp',
  summary: 'serve MCP on standard input and output, as ralph serve does; for clients that use npx',
  group: 'Work',
  examples: ['npx -y ralph-mcp mcp', 'ralph mcp --project ../webshop'],
  run: async (context) => {
    const { serveStdio } = await import('../../serve/stdio.ts');
    await serveStdio(context);
    return { json: null, text: '' };
  },
});
