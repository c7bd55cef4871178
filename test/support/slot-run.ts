// The run of a process whose sessions work in slots, without a supervisor around it.
import type { Config } from '../../src/domain/config.ts';
import { readConfig } from '../../src/project/read-config.ts';
import { openSlotRun, type SlotRun } from '../../src/supervisor/ground/slot-run.ts';
import { openTestQueue } from './queue.ts';
import type { TestRepository } from './slots.ts';

export async function slotRun(
  { root, place, slots }: TestRepository,
  config: Partial<Config> = {},
): Promise<SlotRun> {
  const never = new AbortController().signal;
  return openSlotRun(
    {
      ...place,
      queue: await openTestQueue(),
      slotsFolder: slots.folder,
      sandbox: { level: 'off', bash: null, refused: new Map(), enclose: () => null },
      config: { ...(await readConfig(root)), ...config },
      stop: { after: never, now: never },
      baseline: { accepted: [] },
      tell: () => {},
    },
    {
      isAllowed: async () => true,
      findTampering: async () => null,
      findTamperingIn: async () => null,
      findPlantedIn: async () => [],
    },
  );
}
