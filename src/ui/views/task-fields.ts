import { z } from 'zod';
import type { Task } from '../../domain/tasks/task.ts';
import { oneTask } from '../../queue/tasks/list.ts';
import { idText } from '../fields.ts';
import { defineView } from '../view.ts';

/** What a form is filled with. */
export const taskFields = defineView({
  path: '/api/tasks/:id/fields',
  input: z.strictObject({ id: idText }),
  read: ({ queue }, { id }): Promise<Task> => oneTask(queue, id),
});
