import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parsePort } from '../../parse.ts';

export type UiOptions = { port?: number; readOnly?: boolean; open: boolean };

export const ui = defineCommand<[], UiOptions>({
  name: 'ui',
  summary: 'show the queue in a browser, on this machine only: what needs you, what runs, what it cost',
  group: 'Look',
  options: [
    new Option('--port <n>', 'listen on this port; by default the one of last time, or a free one').argParser(
      parsePort,
    ),
    new Option('--read-only', 'allow no change through the page'),
    new Option('--no-open', 'print the address, open no browser'),
  ],
  examples: ['ralph ui', 'ralph ui --port 4747 --no-open', 'ralph ui --read-only'],
  run: async (context, _, options) => {
    const { serveDashboard } = await import('../../serve/ui.ts');
    await serveDashboard(context, options);
    // The server printed its address when it started; there is nothing to add at its end.
    return { json: undefined, text: '' };
  },
});
