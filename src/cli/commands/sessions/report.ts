import { Option } from 'commander';
import { withQueue } from '../../../app/open-project.ts';
import { reportPage, reportView } from '../../../app/report.ts';
import { report as reportRun } from '../../../queue/sessions/report.ts';
import { reportMarkdown } from '../../../text/report/report-markdown.ts';
import { defineCommand } from '../../command.ts';
import { parseId } from '../../parse.ts';
import { writeOutput } from '../../terminal/output-file.ts';

export const report = defineCommand<[], { run?: number; html?: boolean; output?: string }>({
  name: 'report',
  summary: 'sum up a run in Markdown, or as a page: tasks, gates, questions, flags, learnings, cost',
  group: 'Look',
  options: [
    new Option('--run <n>', 'number of the run; by default the latest').argParser(parseId),
    new Option('--html', 'as one HTML page, with the graph of its tasks').conflicts('json'),
    new Option('--output <file>', 'write to this file').conflicts('json'),
  ],
  examples: [
    'ralph report',
    'ralph report --run 7 > report.md',
    'ralph report --html --output report.html',
    'ralph report --json',
  ],
  run: (context, _, { run, html, output }) =>
    withQueue(context, async ({ queue }) => {
      const [id, now] = [run ?? null, context.now()];
      const delivered = async (text: string): Promise<string> =>
        output === undefined ? text : await writeOutput(context.cwd, output, text);
      if (html) return { json: null, text: await delivered(await reportPage(queue, id, now)) };
      const found = await reportRun(queue, id);
      const view = reportView(found, now);
      const columns = output === undefined ? context.terminal.columns : Number.POSITIVE_INFINITY;
      return {
        json: { ...found, running: view.isRunning },
        text: await delivered(reportMarkdown(found, { ...view, columns })),
      };
    }),
});
