import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import { plural } from '../../domain/text/text.ts';
import { decideDrafts } from '../../queue/tasks/decide.ts';
import { draftIds } from '../../queue/tasks/list.ts';
import { defineAction } from '../action.ts';
import type { UiBackend } from '../backend.ts';
import { id, text } from '../fields.ts';
import { decidedMessage } from './decide.ts';

/** `count`: how many drafts the person saw. A draft that came later is not approved unseen. */
const every = z.strictObject({ count: id, feature: text.nullable().default(null) });

export const approve = defineAction({
  name: 'approve',
  input: z
    .strictObject({
      ids: z.array(id).default([]),
      drop: z.array(id).default([]),
      all: every.optional(),
    })
    .refine(({ ids, drop, all }) => all !== undefined || ids.length + drop.length > 0, 'names no draft')
    .refine(
      ({ ids, all }) => all === undefined || ids.length === 0,
      'names drafts, or all of them; not both',
    ),
  run: async (backend, { ids, drop, all }) => {
    const { verify_feature: verify } = await backend.config();
    const approved = all === undefined ? ids : await everyDraft(backend, all, drop);
    const tasks = await decideDrafts(backend.queue, { wanted: approved, dropped: drop, verify });
    const [dropped, queued] = [true, false].map((isDropped) =>
      tasks.filter(({ status }) => (status === 'skipped') === isDropped),
    );
    return {
      message: [decidedMessage('Queued', queued ?? []), decidedMessage('Dropped', dropped ?? [])]
        .filter(Boolean)
        .join(' '),
    };
  },
});

async function everyDraft(
  { queue }: UiBackend,
  { count, feature }: z.output<typeof every>,
  except: readonly number[],
): Promise<readonly number[]> {
  const drafts = await draftIds(queue, feature ?? undefined);
  if (drafts.length === count) return drafts.filter((one) => !except.includes(one));
  const are = drafts.length === 1 ? 'is' : 'are';
  throw new Refusal(
    `There ${are} ${plural(drafts.length, 'draft')} now, not ${count}; look at them again. Nothing was changed.`,
  );
}
