import { Argument } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import { plural } from '../../../domain/text/text.ts';
import { liveness } from '../../../host/processes/process-identity.ts';
import { readFleet, stopHost } from '../../../queue/sessions/fleet.ts';
import { fleetText } from '../../../text/fleet-text.ts';
import { readTrain } from '../../../ui/train.ts';
import { defineCommand, Misuse } from '../../command.ts';

export const fleet = defineCommand<[action: string, host: string | undefined]>({
  name: 'fleet',
  summary: 'list the machines at work on the queue, or let one drain or stop',
  group: 'Work',
  args: [
    new Argument('[action]', 'what to do').choices(['list', 'drain', 'stop']).default('list'),
    new Argument('[host]', 'drain, stop: the name of the machine, as the list shows it'),
  ],
  examples: ['ralph fleet', 'ralph fleet drain build-2', 'ralph fleet stop build-2', 'ralph fleet --json'],
  run: (context, [action, host]) =>
    withProject(context, async (project) => {
      const { queue } = project;
      if (action === 'list') {
        if (host !== undefined) throw new Misuse('A host belongs to drain or stop: ralph fleet drain HOST.');
        const machines = await readFleet(queue, liveness);
        const sessions = machines.flatMap(({ runs }) => runs.flatMap((run) => run.sessions));
        const train = await readTrain(queue, sessions);
        return { json: { machines, train }, text: fleetText(machines, train, queue.now(), context.terminal) };
      }
      if (host === undefined) throw new Misuse(`Name the machine: ralph fleet ${action} HOST.`);
      await requirePerson(context, project, 'stops machines');
      const asked = await stopHost(queue, host, action === 'drain' ? 'after' : 'now', liveness);
      const what =
        action === 'drain'
          ? 'claims nothing more, and ends when its sessions have ended'
          : 'ends its sessions now; their work is kept for the next ones';
      return {
        json: { host, runs: asked, when: action },
        text: `${host} (${plural(asked.length, 'run')}) ${what}. Look at it: ralph fleet.`,
      };
    }),
});
