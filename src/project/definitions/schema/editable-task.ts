// The fields of a task that a person may edit, in an editor or in a form.
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
  agent: true,
  model: true,
  effort: true,
  tags: true,
  needs: true,
});

export type EditableTask = z.output<typeof editableTask>;

type Edit = Partial<TaskFields> & { depends_on?: number[] };

/** An empty field gets its default; an absent one is not part of the edit and keeps its value. */
export function editFrom(fields: { [Name in keyof EditableTask]?: EditableTask[Name] | undefined }): Edit {
  const defaults: Readonly<Record<string, unknown>> = { ...TASK_DEFAULTS, depends_on: [] };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, field ?? defaults[name]]),
  );
}
