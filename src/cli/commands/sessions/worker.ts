import { Option } from 'commander';
import { defineCommand } from '../../command.ts';
import { parseJobs, parseNumber, parseWords } from '../../parse.ts';
import type { WorkerOptions } from '../../run/run-worker.ts';

export const worker = defineCommand<[], WorkerOptions>({
  name: 'worker',
  summary:
    'work on an unattended machine until you stop it: wait for tasks, limits, the remote and the database',
  group: 'Work',
  options: [
    new Option('--jobs <n>', 'run this many sessions at the same time; at most 64').argParser(parseJobs),
    new Option(
      '--labels <labels>',
      'what this run offers to tasks that need it, such as gpu,linux',
    ).argParser(parseWords),
    new Option(
      '--clone <url-dir...>',
      'clone the repository at this address into this folder, unless it is there already',
    ),
    new Option('--budget <usd>', 'start no session once this many US dollars are spent').argParser(
      parseNumber,
    ),
    new Option('--agent <name>', 'use this agent, such as claude or codex'),
    new Option('--model <name>', 'use this model, whatever the tasks say'),
  ],
  examples: ['ralph worker --jobs 2', 'ralph worker --clone git@example.com:team/shop.git /srv/shop'],
  run: async (context, _, options) => {
    // Imported late: no other command needs the supervisor.
    const { runWorker } = await import('../../run/run-worker.ts');
    return runWorker(context, options);
  },
});
