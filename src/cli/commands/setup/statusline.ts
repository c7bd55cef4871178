import { defineCommand } from '../../command.ts';

export const statusline = defineCommand<[]>({
  name: 'statusline',
  summary: 'print the queue in one line, for the status line of Claude Code',
  group: 'Look',
  examples: ['ralph statusline', 'ralph statusline --project ../webshop'],
  run: async (context) => {
    const { readStatusLine } = await import('../../claude-code/statusline.ts');
    const { summary, text } = await readStatusLine(context);
    return { json: summary, text };
  },
});
