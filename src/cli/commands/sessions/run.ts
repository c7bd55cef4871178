import { Option } from 'commander';
import { PAUSE_SECONDS } from '../../../domain/sessions/session.ts';
import { defineCommand } from '../../command.ts';
import { collectWords, parseJobs, parseNumber, parseWholeNumber, parseWords } from '../../parse.ts';
import type { RunOptions } from '../../run/run-queue.ts';

export const run = defineCommand<[], RunOptions>({
  name: 'run',
  summary: 'work through the queue: a fresh agent for each task, then the gates, then the next task',
  group: 'Work',
  options: [
    new Option('--once', 'run one session only'),
    new Option(
      '--max-sessions <n>',
      'run at most this many sessions; 0 only finishes what a killed run left',
    ).argParser(parseWholeNumber),
    new Option('--budget <usd>', 'stop when this many US dollars are spent').argParser(parseNumber),
    new Option(
      '--wait [seconds]',
      `wait for long limits and outages, too; the longest pause in seconds if no reset time is known (default ${PAUSE_SECONDS})`,
    ).argParser(parseNumber),
    new Option(
      '--fix-baseline',
      'if a gate fails before the first session, add a task that repairs it and do that first',
    ),
    new Option(
      '--accept-red <gate>',
      'ignore this gate for as long as it stays red; may be given more than once',
    ).argParser(collectWords),
    new Option(
      '--jobs <n>',
      'run this many sessions at the same time, each in a slot of its own; at most 64',
    ).argParser(parseJobs),
    new Option(
      '--labels <labels>',
      'what this run offers to tasks that need it, such as gpu,linux',
    ).argParser(parseWords),
    new Option('--in-place', 'work in your checkout instead of slots, one session at a time'),
    new Option('--agent <name>', 'use this agent, such as claude or codex'),
    new Option('--model <name>', 'use this model, whatever the tasks say'),
  ],
  examples: ['ralph run', 'ralph run --once', 'ralph run --jobs 4 --budget 20 --wait', 'ralph run --json'],
  run: async (context, _, options) => {
    // Imported late: no other command needs the supervisor.
    const { runQueue } = await import('../../run/run-queue.ts');
    return runQueue(context, options);
  },
});
