import { Option } from 'commander';
import { PAUSE_SECONDS } from '../../domain/sessions/session.ts';
import { defineCommand } from '../command.ts';
import { parseNumber, parseWholeNumber } from '../parse.ts';
import type { RunOptions } from '../run/run-queue.ts';

const collect = (word: string, before: readonly string[] = []): string[] => [...before, word];

export const run = defineCommand<[], RunOptions>({
  name: 'run',
  summary: 'work on the queue: one task, one fresh agent, gates, and the next',
  group: 'Work',
  options: [
    new Option('--once', 'one session only'),
    new Option(
      '--max-sessions <n>',
      'no more sessions than this; 0 only finishes what a killed run left',
    ).argParser(parseWholeNumber),
    new Option('--budget <usd>', 'stop when this much is spent').argParser(parseNumber),
    new Option(
      '--wait [seconds]',
      `wait for a usage limit to pass, this long where nobody says for how long (${PAUSE_SECONDS}), and for an outage without end`,
    ).argParser(parseNumber),
    new Option(
      '--fix-baseline',
      'where a gate fails before any session began, make a task of it and do that first',
    ),
    new Option(
      '--accept-red <gate>',
      'hold no task to this gate while it is as red as before; may be given again',
    ).argParser(collect),
    new Option('--agent <name>', 'claude, or one of the agents of the configuration'),
    new Option('--model <name>', 'this model, whatever the tasks say'),
  ],
  examples: ['ralph run', 'ralph run --once', 'ralph run --budget 20 --wait', 'ralph run --json'],
  run: async (context, _, options) => {
    // Imported late: no other command needs the supervisor.
    const { runQueue } = await import('../run/run-queue.ts');
    return runQueue(context, options);
  },
});
