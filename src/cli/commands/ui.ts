import { Option } from 'commander';
import { requirePerson } from '../../app/trust.ts';
import { defineCommand } from '../command.ts';
import { parsePort } from '../parse.ts';

export type UiOptions = { port?: number; readOnly?: boolean; open: boolean };

export const ui = defineCommand<[], UiOptions>({
  name: 'ui',
  summary: 'show the queue in a browser, on this machine only: what needs you, what runs, what it cost',
  group: 'Look',
  options: [
    new Option('--port <n>', 'listen there; a free port, or the one of last time, if not given').argParser(
      parsePort,
    ),
    new Option('--read-only', 'nothing can be changed through the page'),
    new Option('--no-open', 'print the address and open no browser'),
  ],
  examples: ['ralph ui', 'ralph ui --port 4747 --no-open', 'ralph ui --read-only'],
  run: async (context, _, options) => {
    requirePerson(context, 'opens the dashboard');
    const { serveDashboard } = await import('../serve/ui.ts');
    await serveDashboard(context, options);
    // The server printed its address when it started; there is nothing to add at its end.
    return { json: undefined, text: '' };
  },
});
