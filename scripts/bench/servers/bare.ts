// What the SDK costs by itself: eight tools that do nothing.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

serveStdio(() => {
  const server = new McpServer({ name: 'bare', version: '1' });
  for (const name of ['done', 'partial', 'stuck', 'ask', 'flag', 'learned', 'suggest', 'blocked'])
    server.registerTool(
      name,
      {
        description: 'Does nothing.',
        inputSchema: z.strictObject({ text: z.string(), kind: z.enum(['discovery', 'decision']) }),
      },
      async () => ({ content: [{ type: 'text', text: 'Recorded.' }] }),
    );
  return server;
});
