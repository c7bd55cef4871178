import { Option } from 'commander';
import { GateStopped } from '../host/gates.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { PAUSE_SECONDS } from '../supervisor/pause-until.ts';
import { STOPPED, type Stop } from '../supervisor/stop.ts';
import { parseNumber, requireAgent } from './agent-session.ts';
import { defineCommand } from './command.ts';
import { follower } from './mirror.ts';
import { syncDefinitions, withQueue } from './project.ts';
import { type RunView, runView } from './run-view.ts';
import { requireTrusted, trustOf } from './trusted.ts';

type RunOptions = {
  once?: boolean;
  maxSessions?: number;
  budget?: number;
  wait?: number | true;
  agent?: string;
  model?: string;
};

export const run = defineCommand<[], RunOptions>({
  name: 'run',
  summary: 'work on the queue: one task, one fresh agent, gates, and the next',
  group: 'Work',
  options: [
    new Option('--once', 'one session only'),
    new Option('--max-sessions <n>', 'no more sessions than this').argParser(parseNumber),
    new Option('--budget <usd>', 'stop when this much is spent').argParser(parseNumber),
    new Option(
      '--wait [seconds]',
      `wait for a usage limit to pass; this long where nobody says for how long (${PAUSE_SECONDS})`,
    ).argParser(parseNumber),
    new Option('--agent <name>', 'claude, or one of the agents of the configuration'),
    new Option('--model <name>', 'this model, whatever the tasks say'),
  ],
  examples: ['ralph run', 'ralph run --once', 'ralph run --budget 20 --wait', 'ralph run --json'],
  run: (context, _, { once = false, maxSessions, budget, wait, agent, model }) =>
    withQueue(context, async (project) => {
      await syncDefinitions(project);
      await requireTrusted(context, project);
      const config = await readConfig(project.root);
      requireAgent(agent, Object.keys(config.agents));
      const [{ openSupervisor }, { writePrompt }] = await Promise.all([
        import('../supervisor/supervisor.ts'),
        import('./office.ts'),
      ]);
      const chosen = { ...config, agent: agent ?? config.agent };
      const stop = context.pipes.interrupts();
      const budget_usd = budget ?? config.limits.run_budget_usd;
      const limits = { max_attempts: config.max_attempts, budget_usd };
      const view = runView({ context, project, limits, stop });
      const follow = follower(project, (reason) => view.tell({ kind: 'refused', reason }), config.mirror);
      const supervisor = await openSupervisor({
        ...project,
        env: context.env,
        config: chosen,
        trust: () => trustOf(context, project, config),
        ralph: [context.program.node, context.program.script],
        limits: {
          sessions: once ? 1 : (maxSessions ?? Number.POSITIVE_INFINITY),
          budget_usd,
          model: model ?? null,
        },
        wait: { is: wait !== undefined, pauseMs: 1_000 * (typeof wait === 'number' ? wait : PAUSE_SECONDS) },
        stop,
        writePrompt: (recipe, input) => writePrompt(context, project, recipe, input, chosen),
        sync: async () => {
          await syncDefinitions(project);
          await follow('take');
        },
        settled: () => follow('set aside'),
        tell: view.tell,
      });
      const ended = await watched(view, () => context.supervise(supervisor).catch(stoppedInGates));
      await supervisor.close(ended);
      const { exit_code: exitCode, ...stopped } = ended;
      const text = context.asJson ? '' : await view.summary(ended);
      return { json: { kind: 'stopped', ...stopped }, text, exitCode, isLine: true };
    }),
});

/** What was being proven is proven by the next run, from the start. */
function stoppedInGates(error: unknown): Stop {
  if (error instanceof GateStopped) return STOPPED;
  throw error;
}

/** Whatever happens, the screen is given back before anything else is said. */
async function watched<T>(view: RunView, work: () => Promise<T>): Promise<T> {
  try {
    await view.begin();
    return await work();
  } finally {
    view.close();
  }
}
