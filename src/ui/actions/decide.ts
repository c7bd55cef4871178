import { z } from 'zod';
import { Refusal } from '../../domain/refusal.ts';
import type { Task } from '../../domain/tasks/task.ts';
import { plural } from '../../domain/text/text.ts';
import { decideDrafts, retry as retryTasks, skip as skipTasks } from '../../queue/tasks/decide.ts';
import { closedMessage, closeFlags } from '../../queue/tasks/flags.ts';
import { draftIds } from '../../queue/tasks/list.ts';
import { defineAction } from '../action.ts';
import type { UiBackend } from '../backend.ts';
import { id, ids, text } from '../fields.ts';

export const retry = defineAction({
  name: 'retry',
  input: z.strictObject({ ids, note: text.default('') }),
  run: async ({ queue }, { ids: tasks, note }) => ({
    message: decidedMessage('Queued again', await retryTasks(queue, tasks, { note })) ?? '',
  }),
});

export const skip = defineAction({
  name: 'skip',
  input: z.strictObject({ ids }),
  run: async ({ queue, config }, { ids: tasks }) => {
    const { verify_feature: verify } = await config();
    return { message: decidedMessage('Skipped', await skipTasks(queue, tasks, { verify })) ?? '' };
  },
});

const MAX_NAMED = 3;

/** What was done to which tasks, in one sentence. Null for no tasks. */
export function decidedMessage(done: string, tasks: readonly Task[]): string | null {
  const [first] = tasks;
  if (first === undefined) return null;
  if (tasks.length === 1) return `${done} #${first.id} ${first.title}.`;
  const named = tasks.slice(0, MAX_NAMED).map(({ id }) => `#${id}`);
  const more = tasks.length - named.length;
  return `${done} ${tasks.length} tasks: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

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
    const tasks = await decideDrafts(backend.queue, { queued: approved, dropped: drop, verify });
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

export const closeFlag = defineAction({
  name: 'close-flag',
  input: z.strictObject({ id, note: text.default('') }),
  run: async ({ queue, config }, { id: flag, note }) => {
    const { verify_feature: verify } = await config();
    const [closed] = await closeFlags(queue, [flag], { note, verify });
    return { message: closed === undefined ? '' : closedMessage(closed, queue.now()) };
  },
});
