// One task as YAML that a person edits. Every field is listed; an empty one has no value.
import { stringify } from 'yaml';
import type { Task } from '../../domain/tasks/task.ts';
import { type EditableTask, editableTask, editFrom } from './schema/editable-task.ts';
import { parseYaml } from './yaml.ts';

export function taskToYaml(task: Task): string {
  const names = Object.keys(editableTask.shape) as (keyof EditableTask)[];
  const fields = Object.fromEntries(names.map((name) => [name, task[name]]));
  return stringify(fields, { lineWidth: 0, nullStr: '', aliasDuplicateObjects: false });
}

/** A field that the person removed from the text keeps its value. */
export const editFromYaml = (text: string, label: string): ReturnType<typeof editFrom> =>
  editFrom(parseYaml(text, label, editableTask).value);
