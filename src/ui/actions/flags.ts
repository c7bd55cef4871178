import { z } from 'zod';
import { stateName, stateWord } from '../../domain/tasks/status-word.ts';
import { closeFlags } from '../../queue/tasks/flags.ts';
import { defineAction } from '../action.ts';
import { id, text } from '../fields.ts';

export const closeFlag = defineAction({
  name: 'close-flag',
  input: z.strictObject({ id, note: text.default('') }),
  run: async ({ queue, config }, { id: flag, note }) => {
    const { verify_feature: verify } = await config();
    const [closed] = await closeFlags(queue, [flag], { note, verify });
    const task = closed?.resumed ?? null;
    const state =
      task === null ? '' : `; #${task.id} ${task.title} is ${stateName(stateWord(task, queue.now(), false))}`;
    return { message: `Closed F${flag}${state}.` };
  },
});
