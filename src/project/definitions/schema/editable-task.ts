// What a person may say of a task, in an editor as in a form.
import type * as z from 'zod';
import { TASK_DEFAULTS, type TaskFields } from '../../../domain/tasks/task.ts';
import { taskSchema } from './task.ts';

export const editableTask = taskSchema.pick({
  title: true,
  description: true,
  feature: true,
  discipline: true,
  kind: true,
  priority: true,
  depends_on: true,
  parent: true,
  acceptance_criteria: true,
  pseudocode: true,
  hints: true,
  context_files: true,
  output_artifacts: true,
  estimated_turns: true,
  model: true,
  tags: true,
});

export type EditableTask = z.output<typeof editableTask>;

type Edit = Partial<TaskFields> & { depends_on?: number[] };

/** Only what was said: an empty field becomes what it is where nobody says anything, and one that is not there stays as it was. */
export function editFrom(fields: { [Name in keyof EditableTask]?: EditableTask[Name] | undefined }): Edit {
  const defaults: Readonly<Record<string, unknown>> = { ...TASK_DEFAULTS, depends_on: [] };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, field ?? defaults[name]]),
  );
}
