import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Task } from '../../src/domain/tasks/task.ts';
import { act, read } from '../api.ts';
import { showNotice } from '../notice.tsx';
import { errorSentence } from '../view.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './labels.tsx';
import { TaskField } from './task-field.tsx';
import {
  FIELD_NAMES,
  FIRST_RARE_FIELD,
  type FieldName,
  type Fields,
  formatFields,
  NO_FIELDS,
  readChanges,
  type Texts,
} from './task-fields.ts';

type Form = {
  /** The values that this person has seen last. */
  base: Fields;
  texts: Texts;
  /** The values of fields that another person has changed as well. */
  theirs: Partial<Texts>;
};

/** By task, 0 for a new one: a form that was neither saved nor cancelled. It is there again when the form opens. */
const unsaved = new Map<number, Form>();

/** Adds a task (null), or changes one. */
export function TaskForm({ task, onClose }: { task: Task | null; onClose: () => void }) {
  const key = task?.id ?? 0;
  const begin = (base: Fields): Form => ({ base, texts: formatFields(base), theirs: {} });
  const [form, setForm] = useState(() => unsaved.get(key) ?? begin(task ?? NO_FIELDS));
  const [isOld, setOld] = useState(unsaved.has(key));
  // Decided once: the section must not fold away while a person empties its fields.
  const [isMore] = useState(() =>
    FIELD_NAMES.slice(FIRST_RARE_FIELD).some((name) => form.texts[name] !== ''),
  );
  const [isDraft, setDraft] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  useEffect(() => element.current?.querySelector('input')?.focus(), []);

  const change = (step: (before: Form) => Form): void =>
    setForm((before) => {
      const after = step(before);
      unsaved.set(key, after);
      return after;
    });
  const write = (name: FieldName, text: string): void =>
    change((before) => ({ ...before, texts: { ...before.texts, [name]: text } }));
  const forget = (): void => void unsaved.delete(key);

  const save = async (): Promise<void> => {
    const { changed, seen, problem } = readChanges(form.base, form.texts);
    if (isBusy) return;
    if (problem !== null) return setError(problem);
    setBusy(true);
    try {
      if (task === null) showNotice((await act('add', { title: '', ...changed, draft: isDraft })).message);
      else if (Object.keys(changed).length > 0)
        showNotice((await act('edit', { id: task.id, change: changed, seen })).message);
      forget();
      onClose();
    } catch (refused) {
      setError(errorSentence(refused));
      const now = task === null ? null : await read<Task>(`/api/tasks/${task.id}/fields`).catch(() => null);
      if (now !== null) change((before) => mergeForm(before, now));
      setBusy(false);
    }
  };

  const field = (name: FieldName) => (
    <TaskField
      key={name}
      name={name}
      text={form.texts[name]}
      theirs={form.theirs[name]}
      onText={(text) => write(name, text)}
    />
  );
  return (
    <Dialog title={task === null ? 'Add a task' : `Edit #${task.id}`} onClose={onClose}>
      <form
        ref={element}
        class="task-form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        {isOld && (
          <p class="aside wide">
            What you typed before is still here.{' '}
            <button
              type="button"
              onClick={() => {
                forget();
                setForm(begin(task ?? NO_FIELDS));
                setOld(false);
              }}
            >
              Start over
            </button>
          </p>
        )}
        {FIELD_NAMES.slice(0, FIRST_RARE_FIELD).map(field)}
        <details class="wide" open={isMore}>
          <summary>More</summary>
          <div class="task-form">{FIELD_NAMES.slice(FIRST_RARE_FIELD).map(field)}</div>
        </details>
        <footer>
          <Problem sentence={error} />
          {task === null && (
            <label>
              <input
                type="checkbox"
                checked={isDraft}
                onInput={({ currentTarget }) => setDraft(currentTarget.checked)}
              />{' '}
              As a draft, to be approved later
            </label>
          )}
          <span class="buttons">
            <button
              type="button"
              onClick={() => {
                forget();
                onClose();
              }}
            >
              Cancel
            </button>
            <button type="submit" class="primary" aria-busy={isBusy}>
              {task === null ? 'Add' : Object.keys(form.theirs).length > 0 ? 'Save mine' : 'Save'}
            </button>
          </span>
        </footer>
      </form>
    </Dialog>
  );
}

/** The current values of the task, with the texts that this person has changed. */
function mergeForm({ base, texts, theirs: earlier }: Form, now: Fields): Form {
  const [before, after] = [formatFields(base), formatFields(now)];
  const result: Form = { base: now, texts: { ...texts }, theirs: {} };
  for (const name of FIELD_NAMES) {
    if (texts[name] === before[name]) result.texts[name] = after[name];
    else if (after[name] !== before[name] || earlier[name] !== undefined) result.theirs[name] = after[name];
  }
  return result;
}

const isAdding = signal(false);

export function openAddTask(): void {
  isAdding.value = true;
}

function closeAddTask(): void {
  isAdding.value = false;
}

/** The form for a new task. Every page has it, behind one key. */
export const AddTask = () => (isAdding.value ? <TaskForm task={null} onClose={closeAddTask} /> : null);
