import { z } from 'zod';
import { decideDrafts } from '../../queue/decide.ts';
import { defineAction } from '../action.ts';
import { id } from '../fields.ts';
import { told } from './told.ts';

export const approve = defineAction({
  name: 'approve',
  input: z
    .strictObject({ ids: z.array(id), drop: z.array(id).default([]) })
    .refine(({ ids, drop }) => ids.length + drop.length > 0, 'names no draft'),
  run: async ({ queue, config }, { ids, drop }) => {
    const { verify_feature: verify } = await config();
    const tasks = await decideDrafts(queue, { wanted: ids, dropped: drop, verify });
    const [dropped, queued] = [true, false].map((isDropped) =>
      tasks.filter(({ status }) => (status === 'skipped') === isDropped),
    );
    return {
      message: [told('Queued', queued ?? []), told('Dropped', dropped ?? [])].filter(Boolean).join(' '),
    };
  },
});
