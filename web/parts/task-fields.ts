// The fields of a task as the texts of a form, and back.
import { TASK_DEFAULTS, type Task } from '../../src/domain/tasks/task.ts';

/** `lines`: a list, one item a line. `tasks`: numbers of tasks. */
type Kind =
  | 'title'
  | 'line'
  | 'text'
  | 'lines'
  | 'tasks'
  | 'number'
  | 'feature'
  | 'discipline'
  | 'priority'
  | 'kind'
  | 'agent'
  | 'effort';

export type FieldSpec = { kind: Kind; label: string; hint?: string };

export const TASK_FIELDS = {
  title: { kind: 'title', label: 'Title' },
  description: { kind: 'text', label: 'Description' },
  feature: { kind: 'feature', label: 'Feature' },
  discipline: { kind: 'discipline', label: 'Discipline' },
  priority: { kind: 'priority', label: 'Priority' },
  depends_on: { kind: 'tasks', label: 'Depends on', hint: 'such as 3, 5' },
  agent: { kind: 'agent', label: 'Agent', hint: 'of every try' },
  model: { kind: 'line', label: 'Model', hint: 'for the first try' },
  acceptance_criteria: { kind: 'lines', label: 'Acceptance criteria', hint: 'one per line' },
  context_files: { kind: 'lines', label: 'Context files', hint: 'one per line: files, folders or globs' },
  hints: { kind: 'text', label: 'Hints' },
  estimated_turns: { kind: 'number', label: 'Turns', hint: 'replaces the limit' },
  effort: { kind: 'effort', label: 'Effort', hint: 'how hard the model thinks' },
  kind: { kind: 'kind', label: 'Kind', hint: 'investigate: no file has to change' },
  parent: { kind: 'number', label: 'Part of', hint: 'a larger task, such as 7' },
  tags: { kind: 'lines', label: 'Tags', hint: 'one per line' },
  needs: { kind: 'lines', label: 'Needs', hint: 'labels of the machine, one per line, such as gpu' },
  output_artifacts: { kind: 'lines', label: 'Files it creates or changes', hint: 'one per line' },
  pseudocode: { kind: 'text', label: 'Steps', hint: 'in order' },
} as const satisfies Partial<Record<keyof Task, FieldSpec>>;

export type FieldName = keyof typeof TASK_FIELDS;
export type Fields = Pick<Task, FieldName>;
export type Texts = Record<FieldName, string>;

export const FIELD_NAMES = Object.keys(TASK_FIELDS) as FieldName[];

/** Few tasks have this field or those after it. */
export const FIRST_RARE_FIELD = FIELD_NAMES.indexOf('estimated_turns');

export const NO_FIELDS: Fields = { ...TASK_DEFAULTS, title: '', depends_on: [] };

export const formatFields = (fields: Fields): Texts =>
  Object.fromEntries(FIELD_NAMES.map((name) => [name, formatField(name, fields[name])])) as Texts;

/** An item of several lines stays one item. */
const LINE_END = ' ⏎ ';

function formatField(name: FieldName, value: Fields[FieldName]): string {
  if (!Array.isArray(value)) return String(value ?? '');
  if (TASK_FIELDS[name].kind === 'tasks') return value.join(', ');
  return value.map((item) => String(item).replaceAll('\n', LINE_END)).join('\n');
}

/** The fields that the form changes. `problem`: a sentence, where a text is no valid value. */
export function readChanges(
  base: Fields,
  texts: Texts,
): { changed: Partial<Fields>; seen: Partial<Fields>; problem: string | null } {
  const before = formatFields(base);
  const changed: Record<string, unknown> = {};
  const seen: Record<string, unknown> = {};
  let problem: string | null = null;
  for (const name of FIELD_NAMES) {
    if (texts[name] === before[name]) continue;
    const value = parseField(name, texts[name]);
    if (value === undefined)
      problem ??= `${TASK_FIELDS[name].label}: "${texts[name]}" is not understood; give a number such as 7.`;
    if (JSON.stringify(value) === JSON.stringify(base[name])) continue;
    changed[name] = value;
    seen[name] = base[name];
  }
  return { changed, seen, problem };
}

function parseField(name: FieldName, text: string): unknown {
  switch (TASK_FIELDS[name].kind) {
    case 'lines':
      return splitItems(text, '\n').map((item) => item.replaceAll(LINE_END, '\n'));
    case 'tasks': {
      const numbers = splitItems(text, /[,\s]+/).map(parseNumber);
      return numbers.includes(undefined) ? undefined : numbers;
    }
    case 'number':
      return text.trim() === '' ? null : parseNumber(text.trim());
    // The queue refuses an empty title, and says so.
    default:
      return text.trim() === '' && name !== 'title' ? null : text;
  }
}

const splitItems = (text: string, separator: string | RegExp): string[] =>
  text.split(separator).flatMap((part) => part.trim() || []);

const parseNumber = (text: string): number | undefined =>
  /^#?\d{1,12}$/.test(text) ? Number(text.replace('#', '')) : undefined;
