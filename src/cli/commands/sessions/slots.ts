import { Argument, Option } from 'commander';
import { requirePerson } from '../../../app/definitions/consent.ts';
import { withProject } from '../../../app/open-project.ts';
import { slotPlace } from '../../../app/sessions/slots.ts';
import { cleanLeftovers, cleanSlot, WARM_MS } from '../../../host/slots/clean-slots.ts';
import type { SlotPlace } from '../../../host/slots/slot.ts';
import { type ListedSlot, listSlots } from '../../../host/slots/slot-pool.ts';
import { noteSize } from '../../../host/slots/slot-size.ts';
import { readConfig } from '../../../project/read-config.ts';
import type { Queue } from '../../../queue/queue.ts';
import { isSessionOver, type ListedSession, listSessions } from '../../../queue/sessions/sessions.ts';
import {
  type CleanedSlots,
  cleanedText,
  type SlotUse,
  type SlotView,
  slotsText,
} from '../../../text/slots-text.ts';
import { wrap } from '../../../text/terminal/wrap.ts';
import { defineCommand, Misuse } from '../../command.ts';

export const slots = defineCommand<[action: string], { all?: boolean }>({
  name: 'slots',
  summary: 'list the checkouts that sessions work in, or remove those that are not in use',
  group: 'Set up',
  args: [new Argument('[action]', 'what to do').choices(['list', 'clean']).default('list')],
  options: [new Option('--all', 'clean: free slots that were used within the last day, too')],
  examples: ['ralph slots list', 'ralph slots clean', 'ralph slots clean --all'],
  run: (context, [action], { all = false }) =>
    withProject(context, async (project) => {
      const { queue, root } = project;
      const place = slotPlace(context.env, project, (await readConfig(root)).slots);
      if (action === 'clean') {
        await requirePerson(context, project, 'removes slots');
        const cleaned = await clean(place, queue, all ? 0 : WARM_MS, context.now());
        return {
          json: { folder: place.folder, ...cleaned },
          text: wrap(cleanedText(cleaned), context.terminal.columns),
        };
      }
      if (all) throw new Misuse('--all belongs to clean: ralph slots clean --all.');
      const found = await viewSlots(place, queue);
      const bytes = found.reduce((sum, slot) => sum + slot.bytes, 0);
      return {
        json: { folder: place.folder, slots: found, bytes },
        text: slotsText(found, place.folder, { terminal: context.terminal, now: context.now() }),
      };
    }),
});

/** More sessions than there can be slots. */
const MAX_OPEN = 1_000;

async function viewSlots(place: SlotPlace, queue: Queue): Promise<SlotView[]> {
  const { sessions } = await listSessions(queue, { isOpen: true }, MAX_OPEN);
  const views: SlotView[] = [];
  for (const listed of await listSlots(place)) {
    const { name, slot, last_used } = listed;
    const bytes = await noteSize(slot);
    views.push({ name, folder: slot.folder, use: slotUse(listed, sessions), last_used, bytes });
  }
  return views;
}

function slotUse(
  { slot, session, owner }: Pick<ListedSlot, 'slot' | 'session' | 'owner'>,
  open: readonly ListedSession[],
): SlotUse {
  const holder = open.find(({ id }) => id === session?.session_id);
  if (holder === undefined)
    return { kind: owner === null ? 'free' : slot.kind === 'gates' ? 'gates' : 'preparing' };
  const { id: session_id, task_id, title } = holder;
  return { kind: owner === null ? 'left' : 'session', session_id, task_id, title };
}

async function clean(place: SlotPlace, queue: Queue, warmMs: number, now: number): Promise<CleanedSlots> {
  const [removed, warm, needed]: [string[], string[], string[]] = [[], [], []];
  let bytes = await cleanLeftovers(place);
  for (const { name, slot, session, owner, last_used } of await listSlots(place)) {
    const isFree = owner === null && (session === null || (await isSessionOver(queue, session.session_id)));
    if (isFree && now - last_used < warmMs) {
      warm.push(name);
      continue;
    }
    const cleaned = await cleanSlot(slot, (id) => isSessionOver(queue, id));
    (cleaned === null ? needed : removed).push(name);
    bytes += cleaned?.bytes ?? 0;
  }
  return { removed, bytes, warm, needed };
}
