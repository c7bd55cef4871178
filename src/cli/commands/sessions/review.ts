import { sessionFailure, withAgent } from '../../../app/sessions/agent-session.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { costText } from '../../../domain/text/amounts.ts';
import { visible } from '../../../domain/text/text.ts';
import { identify, liveness } from '../../../host/processes/process-identity.ts';
import { keepHeartbeat } from '../../../queue/sessions/heartbeat.ts';
import { startRunAlone, stopRun } from '../../../queue/sessions/runs.ts';
import { doneSession, reopen } from '../../../queue/tasks/change-status.ts';
import { toSessionEnd } from '../../../supervisor/agents/session-end.ts';
import { defineCommand } from '../../command.ts';
import { taskId } from '../../parse.ts';

export const review = defineCommand<[id: number]>({
  name: 'review',
  summary: 'let another session review a done task; it may send the task back',
  group: 'Work',
  args: [taskId()],
  examples: ['ralph review 7'],
  run: (context, [id]) =>
    withAgent(context, {}, async (session) => {
      const { queue, config } = session;
      const session_id = await doneSession(queue, id);
      const [{ findAgent, chooseReviewer: reviewerOf }, { askReviewers }] = await Promise.all([
        import('../../../supervisor/agents/index.ts'),
        import('../../../supervisor/sessions/review.ts'),
      ]);
      // Registered as a run, so that no ralph run starts meanwhile.
      const run_id = await startRunAlone(queue, identify(process.pid), liveness);
      const heartbeat = keepHeartbeat(queue, run_id);
      const subject = { session: { id: session_id }, task: { id } };
      const budget_usd = config.limits.session_budget_usd;
      const options = { budget_usd, waitForReviewer: async () => false, onReview: () => {} };
      const { agent } = reviewerOf(config);
      const outcome = await askReviewers(session, findAgent(config, agent), subject, options)
        .finally(() => stopRun(queue, run_id, 'review'))
        .finally(heartbeat.stop);
      const { verdict, end } = outcome;
      const cost = costText(outcome.usage.cost_usd);
      const command = `ralph review ${id}`;
      if (verdict === null) {
        const ended = toSessionEnd(end, { changed_files: false, isStopped: outcome.isStopped });
        if (ended.kind === 'infrastructure') return sessionFailure(end, ended, { agent, command });
        throw new Refusal(
          `Task ${id} was not reviewed and stays done: ${outcome.reason} (${cost}). Try again: ${command}.`,
        );
      }
      if (verdict.approved)
        return { json: { id, approved: true }, text: `Task ${id} is approved (${cost}).` };
      await reopen(queue, id, verdict.text);
      return {
        json: { id, approved: false, changes: verdict.text },
        text: `Task ${id} is in the queue again (${cost}):\n${visible(verdict.text)}`,
      };
    }),
});
