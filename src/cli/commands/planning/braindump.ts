import { Argument } from 'commander';
import { type AgentOptions, withAgent } from '../../../app/sessions/agent-session.ts';
import { isEmpty } from '../../../domain/planning/proposal.ts';
import { plural } from '../../../domain/text/text.ts';
import { applyProposal } from '../../../queue/planning/apply-proposal.ts';
import { taskPlace, twinLine } from '../../../text/proposal-text.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { agentOptions } from '../../parse.ts';
import {
  logCommand,
  planningCost,
  planningFailure,
  planningRemarks,
  planSession,
} from '../../terminal/plan-session.ts';

export const braindump = defineCommand<[file: string | undefined], AgentOptions>({
  name: 'braindump',
  summary: 'turn unsorted thoughts into draft tasks',
  group: 'Plan',
  args: [new Argument('[file]', 'a text file, or - for standard input; by default your editor opens')],
  options: agentOptions(),
  examples: ['ralph braindump notes.md', 'pbpaste | ralph braindump -', 'ralph braindump'],
  run: (context, [file], options) =>
    withAgent(context, options, async (session) => {
      const { config, queue } = session;
      const { readThoughts } = await import('../../terminal/person-text.ts');
      const input = await readThoughts(context, file);
      const planned = await planSession(context, session, {
        what: 'sorting your thoughts',
        recipe: 'braindump',
        about: { input },
        model: options.model ?? config.model,
        budget_usd: options.budget ?? config.limits.session_budget_usd,
      });
      const unheld = planningFailure(planned, config.agent, 'ralph braindump');
      if (unheld !== null) return unheld;
      const { session_id: id, proposal, end } = planned;
      const json = { session: id, cost_usd: end.usage.cost_usd };
      if (isEmpty(proposal))
        return {
          json: { ...json, features: [], drafts: [] },
          text: `The session made no draft of it (${planningCost(planned)}). See what it said: ${logCommand(planned)}`,
          exitCode: 1,
        };
      const { features, added, twins } = await applyProposal(queue, proposal, 'draft');
      const remarks = planningRemarks(planned);
      const lines = [
        ...features.map((name) => `+ feature ${oneLine(name)}`),
        ...added.map(
          ({ id: number, title, ...place }) => `~ #${number} ${oneLine(title)}${taskPlace(place)}`,
        ),
        ...twins.map(twinLine),
        ...remarks.lines,
        '',
        `${plural(added.length, 'draft')}, ${planningCost(planned)}. Make them ready: ralph enrich. Queue them as they are: ralph approve`,
      ];
      return {
        json: { ...json, features, drafts: added },
        text: lines.join('\n'),
        exitCode: remarks.exitCode,
      };
    }),
});
