import { Refusal } from '../domain/refusal.ts';
import { visible } from '../domain/text.ts';
import { identify } from '../host/process-identity.ts';
import { readConfig } from '../knowledge/read-config.ts';
import { doneSession, reopen } from '../queue/reopen.ts';
import { startRun, stopRun } from '../queue/runs.ts';
import { PAUSE_SECONDS } from '../supervisor/pause-until.ts';
import { defineCommand, type Output } from './command.ts';
import { taskId } from './parse.ts';
import { syncDefinitions, withQueue } from './project.ts';
import { requireTrusted } from './trusted.ts';

export const review = defineCommand<[id: number]>({
  name: 'review',
  summary: 'have a done task looked at by another session, which may send it back',
  group: 'Work',
  args: [taskId()],
  examples: ['ralph review 7'],
  run: (context, [id]) =>
    withQueue(context, async (project) => {
      await syncDefinitions(project);
      await requireTrusted(context, project);
      const { queue } = project;
      const session_id = await doneSession(queue, id);
      const config = await readConfig(project.root);
      const [{ agentOf }, { askReviewer }, { requireAlone }, { writePrompt }] = await Promise.all([
        import('../supervisor/agent-of.ts'),
        import('../supervisor/review.ts'),
        import('../supervisor/require-alone.ts'),
        import('./office.ts'),
      ]);
      await requireAlone(queue);
      // So that no ralph run begins meanwhile.
      const run_id = await startRun(queue, identify(process.pid));
      const input = {
        ...project,
        env: context.env,
        config,
        ralph: [context.program.node, context.program.script],
        wait: { is: false, pauseMs: 1_000 * PAUSE_SECONDS },
        stop: context.pipes.interrupts(),
        writePrompt: (recipe: Parameters<typeof writePrompt>[2], about: Parameters<typeof writePrompt>[3]) =>
          writePrompt(context, project, recipe, about, config),
        tell: () => {},
      };
      const subject = { session: { id: session_id }, task: { id } };
      const budget_usd = config.limits.session_budget_usd;
      const held = await askReviewer(input, agentOf(config), subject, budget_usd).finally(() =>
        stopRun(queue, run_id, 'review'),
      );
      const { review: verdict, end, isUntouched } = held;
      if (!isUntouched && verdict.approved !== null)
        throw new Refusal(
          'The work tree changed during the review, so its verdict counts for nothing; run it again.',
        );
      const cost = `$${end.usage.cost_usd.toFixed(2)}`;
      if (verdict.approved === null) return unheld(verdict.unheld.fault, config.agent);
      if (verdict.approved)
        return { json: { id, approved: true }, text: `Task ${id} is approved (${cost}).` };
      await reopen(queue, id, verdict.text);
      return {
        json: { id, approved: false, changes: verdict.text },
        text: `Task ${id} is in the queue again (${cost}):\n${visible(verdict.text)}`,
      };
    }),
});

function unheld(fault: string, agent: string): Output {
  if (fault === 'usage_limit' || fault === 'overloaded')
    return {
      json: { unheld: fault },
      text: `The agent "${agent}" has reached its limit; run ralph review again later.`,
      exitCode: 12,
    };
  if (fault === 'supervisor_killed') throw new Refusal('Stopped by you; nothing was changed.');
  return {
    json: { unheld: fault },
    text: `The agent "${agent}" cannot be used (${fault.replaceAll('_', ' ')}); ralph doctor looks for the reason.`,
    exitCode: 13,
  };
}
