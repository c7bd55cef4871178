// One task as YAML that a person edits: every field is there, an empty one is none.
import { stringify } from 'yaml';
import type * as z from 'zod';
import { TASK_DEFAULTS, type Task, type TaskFields } from '../domain/task.ts';
import { taskSchema } from './schema/task.ts';
import { parseYaml } from './yaml.ts';

const editable = taskSchema.pick({
  title: true,
  description: true,
  feature: true,
  discipline: true,
  priority: true,
  depends_on: true,
  acceptance_criteria: true,
  pseudocode: true,
  hints: true,
  context_files: true,
  output_artifacts: true,
  estimated_turns: true,
  model: true,
  tags: true,
});

type Editable = z.output<typeof editable>;
type Edit = Partial<TaskFields> & { depends_on?: number[] };

export function taskToYaml(task: Task): string {
  const names = Object.keys(editable.shape) as (keyof Editable)[];
  const fields = Object.fromEntries(names.map((name) => [name, task[name]]));
  return stringify(fields, { lineWidth: 0, nullStr: '', aliasDuplicateObjects: false });
}

/** Only what the text says: a field that was taken out of it stays as it was. */
export function editFromYaml(text: string, label: string): Edit {
  const { value } = parseYaml(text, label, editable);
  const defaults: Readonly<Record<string, unknown>> = { ...TASK_DEFAULTS, depends_on: [] };
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .map(([name, field]) => [name, field ?? defaults[name]]),
  );
}
