import { randomUUID } from 'node:crypto';
import { Argument } from 'commander';
import { requirePersonOrProgram } from '../../../app/definitions/consent.ts';
import { requireTrusted } from '../../../app/definitions/trust.ts';
import { withProject } from '../../../app/open-project.ts';
import { slotsFolder } from '../../../app/sessions/slots.ts';
import { toNotification } from '../../../domain/notifications/notification.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { environmentFor } from '../../../domain/secrets/environment.ts';
import { plural } from '../../../domain/text/text.ts';
import { deliver } from '../../../host/notifications/deliver.ts';
import { CONFIG_FILE, readConfig } from '../../../project/read-config.ts';
import { beginOutbox, openNotifications } from '../../../queue/notifications/outbox.ts';
import { keyedTargets, projectName, tellNeeds, tellsAnybody } from '../../../supervisor/notifier.ts';
import { defineCommand } from '../../command.ts';

const TEST = {
  event_id: 0,
  kind: 'question' as const,
  text: 'This is a test: Ralph can reach you.',
  command: 'ralph status',
};

export const notify = defineCommand<[action: string]>({
  name: 'notify',
  summary: 'test the notifications, or send those that still wait',
  group: 'Set up',
  args: [new Argument('<action>', 'what to do').choices(['test', 'send'])],
  examples: ['ralph notify test', 'ralph notify send'],
  run: (context, [action]) =>
    withProject(context, async (project) => {
      const { root, queue } = project;
      await requirePersonOrProgram(context, project, 'sends notifications');
      await requireTrusted(context, project);
      const config = await readConfig(root);
      const { env } = context;
      if (action === 'send' ? !tellsAnybody(config) : config.notify.length === 0)
        throw new Refusal(
          `No notification is configured; add a webhook, a command or the desktop as notify to ${CONFIG_FILE}.`,
        );
      const problems: string[] = [];
      if (action === 'send') {
        await beginOutbox(queue);
        const folder = slotsFolder(env, project, config.slots);
        await tellNeeds(
          { queue, root, slotsFolder: folder, env, config, onProblem: (text) => problems.push(text) },
          { isLast: true, isAsked: true },
        );
        const waiting = (await openNotifications(queue)).filter(({ isGivenUp }) => !isGivenUp).length;
        return {
          json: { problems, waiting },
          text: [
            ...problems,
            waiting === 0
              ? 'Nothing waits to be told any more.'
              : `Still to be told: ${plural(waiting, 'message')}.`,
          ].join('\n'),
          exitCode: problems.length === 0 ? 0 : 1,
        };
      }
      const how = { root, env, commandEnv: environmentFor('gate', env, config.env) };
      const message = toNotification(randomUUID(), await projectName(queue, root), [TEST]);
      const results: { target: string; problem: string | null }[] = [];
      for (const { key, target } of keyedTargets(config.notify))
        results.push({ target: key, problem: await deliver(target, message, how) });
      return {
        json: { results },
        text: results
          .map(({ target, problem }) => (problem === null ? `✓ ${target}` : `✗ ${target}: ${problem}`))
          .join('\n'),
        exitCode: results.every(({ problem }) => problem === null) ? 0 : 1,
      };
    }),
});
