// The least that a durable verb can cost: one raw insert, synchronous=FULL. argv: database.
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';
import { openBetterSqlite } from '../../../src/store/better-sqlite.ts';

const database = openBetterSqlite(process.argv[2] ?? '');
database.pragma('journal_mode = wal');
database.pragma('synchronous = full');
database.exec(
  'create table if not exists signals (id integer primary key, text text, kind text, at integer)',
);
const insert = database.prepare('insert into signals (text, kind, at) values (?, ?, ?)');

serveStdio(() => {
  const server = new McpServer({ name: 'insert', version: '1' });
  server.registerTool(
    'learned',
    {
      description: 'Inserts one row.',
      inputSchema: z.strictObject({ text: z.string(), kind: z.enum(['discovery', 'decision']) }),
    },
    async ({ text, kind }) => {
      insert.run(text, kind, Date.now());
      return { content: [{ type: 'text', text: 'Recorded.' }] };
    },
  );
  return server;
});
