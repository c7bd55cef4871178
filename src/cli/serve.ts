import { InvalidArgumentError, Option } from 'commander';
import { defineCommand } from './command.ts';

export const serve = defineCommand<[], { http?: number | true; host: string }>({
  name: 'serve',
  summary: 'serve MCP to a client: on standard input and output, or over HTTP',
  group: 'Work',
  options: [
    new Option('--http [port]', 'over HTTP, on this port or on a free one').argParser(parsePort),
    new Option('--host <address>', 'listen there; anything but loopback is open to the network').default(
      '127.0.0.1',
    ),
  ],
  examples: ['ralph serve', 'ralph serve --http', 'ralph serve --http 7777'],
  run: async (context, _, { http, host }) => {
    const { serveStdio, serveHttp } = {
      ...(await import('./serve-stdio.ts')),
      ...(await import('./serve-http.ts')),
    };
    const { project, cwd, env } = context;
    const chosen = { ...context, project: project === cwd ? env['RALPH_PROJECT'] || cwd : project };
    if (http === undefined) await serveStdio(chosen);
    else await serveHttp(chosen, { host, port: http === true ? 0 : http });
    return { json: null, text: '' };
  },
});

function parsePort(word: string): number {
  if (/^\d{1,5}$/.test(word) && Number(word) < 65_536) return Number(word);
  throw new InvalidArgumentError('It is a number from 0 to 65535.');
}
