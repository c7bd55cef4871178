import { Option } from 'commander';
import { Refusal } from '../../../domain/refusal.ts';
import { defineCommand } from '../../command.ts';
import { parsePort } from '../../parse.ts';

export const serve = defineCommand<[], { http?: number | true; host?: string }>({
  name: 'serve',
  summary: 'serve MCP to a client: on standard input and output, or over HTTP',
  group: 'Work',
  options: [
    new Option('--http [port]', 'serve over HTTP, on this port or on a free one').argParser(parsePort),
    new Option(
      '--host <address>',
      'listen on this address instead of loopback; then only the token protects the project',
    ),
  ],
  examples: ['ralph serve', 'ralph serve --http', 'ralph serve --http 7777'],
  run: async (context, _, { http, host }) => {
    if (http === undefined && host !== undefined)
      throw new Refusal('--host is for HTTP; add --http, or leave it out.');
    if (http === undefined) {
      const { serveStdio } = await import('../../serve/stdio.ts');
      await serveStdio(context);
    } else {
      const { serveHttp } = await import('../../serve/http.ts');
      await serveHttp(context, { host: host ?? '127.0.0.1', port: http === true ? 0 : http });
    }
    return { json: null, text: '' };
  },
});
