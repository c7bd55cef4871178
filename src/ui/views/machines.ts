import { z } from 'zod';
import { liveness } from '../../host/processes/process-identity.ts';
import { type Machine, readFleet } from '../../queue/sessions/fleet.ts';
import { leaseWords, runState } from '../../text/fleet-text.ts';
import { type Landing, readTrain } from '../train.ts';
import { defineView } from '../view.ts';

type ShownRun = Machine['runs'][number] & { state: string; lease: string };

export type MachinesView = {
  machines: readonly { host: string; runs: readonly ShownRun[] }[];
  train: readonly Landing[];
};

export const machines = defineView({
  path: '/api/machines',
  input: z.strictObject({}),
  read: async ({ queue }): Promise<MachinesView> => {
    const found = await readFleet(queue, liveness);
    const sessions = found.flatMap(({ runs }) => runs.flatMap((run) => run.sessions));
    return {
      machines: found.map(({ host, runs }) => ({
        host,
        runs: runs.map((run) => ({ ...run, state: runState(run), lease: leaseWords(run) })),
      })),
      train: await readTrain(queue, sessions),
    };
  },
});
