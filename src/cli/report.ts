import { Option } from 'commander';
import { isAlive } from '../host/process-identity.ts';
import { report as reportRun } from '../queue/report.ts';
import { defineCommand } from './command.ts';
import { parseId } from './parse.ts';
import { withQueue } from './project.ts';
import { reportMarkdown } from './report-markdown.ts';

export const report = defineCommand<[], { run?: number }>({
  name: 'report',
  summary: 'sum up a run in Markdown: tasks, gates, questions, flags, learnings, cost',
  group: 'Look',
  options: [new Option('--run <n>', 'this run; the latest one if not given').argParser(parseId)],
  examples: ['ralph report', 'ralph report --run 7 > report.md', 'ralph report --json'],
  run: (context, _, { run = null }: { run?: number | null }) =>
    withQueue(context, async ({ queue }) => {
      const found = await reportRun(queue, run);
      const isRunning = found.run.ended === null && isAlive(found.run);
      return {
        json: { ...found, running: isRunning },
        text: reportMarkdown(found, { isRunning, columns: context.terminal.columns, now: context.now() }),
      };
    }),
});
