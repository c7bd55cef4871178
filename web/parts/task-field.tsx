import { useId } from 'preact/hooks';
import { PRIORITIES, TASK_KINDS } from '../../src/domain/tasks/task.ts';
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
    <div class={`field ${kind}`}>
      <label htmlFor={id}>
        {label}
        {hint !== undefined && <span class="aside"> {hint}</span>}
      </label>
      <Control id={id} name={name} text={text} onText={onText} />
      {theirs !== undefined && theirs !== text && (
        <div class="theirs">
          Somebody else has changed it; it says now:
          <pre>
            <Text>{theirs === '' ? '(nothing)' : theirs}</Text>
          </pre>
          <button type="button" onClick={() => onText(theirs)}>
            Take this
          </button>
        </div>
      )}
    </div>
  );
}

function Control({ id, name, text, onText }: Omit<FieldProps, 'theirs'> & { id: string }) {
  const project = useProject();
  const { kind } = TASK_FIELDS[name];
  const given = {
    id,
    value: text,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onText(currentTarget.value),
  };
  switch (kind) {
    case 'text':
    case 'lines':
      return <textarea rows={name === 'description' ? 5 : 3} {...given} onKeyDown={saveByKey} />;
    case 'feature':
    case 'discipline': {
      const known = project?.[`${kind}s`].map((one) => one.name) ?? [];
      const names = text === '' || known.includes(text) ? known : [...known, text];
      return (
        <select {...given}>
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
        <select {...given}>
          {(kind === 'kind' ? TASK_KINDS : PRIORITIES).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      );
    default:
      return <input {...given} />;
  }
}

/** Where Enter begins a line, it saves together with Ctrl or Cmd. */
function saveByKey(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit();
}
