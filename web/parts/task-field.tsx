import { useId } from 'preact/hooks';
import { EFFORTS, PRIORITIES, TASK_KINDS } from '../../src/domain/tasks/task.ts';
import { useProject } from '../project.ts';
import { Text } from './labels.tsx';
import { type FieldName, type FieldSpec, TASK_FIELDS } from './task-fields.ts';

type FieldProps = {
  name: FieldName;
  text: string;
  theirs: string | undefined;
  onText: (text: string) => void;
};

export function TaskField({ name, text, theirs, onText }: FieldProps) {
  const id = useId();
  const { kind, label, hint }: FieldSpec = TASK_FIELDS[name];
  return (
    <div class={`field field-${kind}`}>
      <label htmlFor={id}>
        {label}
        {hint !== undefined && <span class="aside"> {hint}</span>}
      </label>
      <Control id={id} name={name} text={text} onText={onText} />
      {theirs !== undefined && theirs !== text && (
        <div class="theirs">
          Another person has changed this field. It now says:
          <pre>
            <Text>{theirs === '' ? '(nothing)' : theirs}</Text>
          </pre>
          <button type="button" onClick={() => onText(theirs)}>
            Use this
          </button>
        </div>
      )}
    </div>
  );
}

function Control({ id, name, text, onText }: Omit<FieldProps, 'theirs'> & { id: string }) {
  const project = useProject();
  const { kind } = TASK_FIELDS[name];
  const common = {
    id,
    value: text,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
  };
  switch (kind) {
    case 'text':
    case 'lines':
      return <textarea rows={name === 'description' ? 5 : 3} {...common} onKeyDown={saveByKey} />;
    case 'agent':
    case 'effort':
    case 'feature':
    case 'discipline': {
      const known: readonly string[] =
        kind === 'effort'
          ? EFFORTS
          : kind === 'agent'
            ? (project?.agents ?? [])
            : (project?.[`${kind}s`].map((one) => one.name) ?? []);
      const names = text === '' || known.includes(text) ? known : [...known, text];
      return (
        <select {...common}>
          <option value="">none</option>
          {names.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      );
    }
    case 'priority':
    case 'kind':
      return (
        <select {...common}>
          {(kind === 'kind' ? TASK_KINDS : PRIORITIES).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      );
    default:
      return <input {...common} />;
  }
}

/** In a text area Enter begins a line; with Ctrl or Cmd it saves. */
function saveByKey(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit();
}
