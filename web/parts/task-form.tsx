import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Task } from '../../src/domain/tasks/task.ts';
import { act, read } from '../api.ts';
import { say } from '../notice.ts';
import { sentenceOf } from '../view.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './labels.tsx';
import { TaskField } from './task-field.tsx';
import {
  changesOf,
  FIELD_NAMES,
  type FieldName,
  type Fields,
  NO_FIELDS,
  RARE,
  type Texts,
  textsOf,
} from './task-fields.ts';

type Form = {
  /** What the fields say as far as this person has seen. */
  base: Fields;
  texts: Texts;
  /** What somebody else has made of a field that this person changes, too. */
  theirs: Partial<Texts>;
};

/** What was typed, and neither saved nor cancelled; by task, 0 for a new one. Who closes the form by mistake finds it again. */
const unsaved = new Map<number, Form>();

/** Adds a task (null), or changes one. */
export function TaskForm({ task, onClose }: { task: Task | null; onClose: () => void }) {
  const key = task?.id ?? 0;
  const begin = (base: Fields): Form => ({ base, texts: textsOf(base), theirs: {} });
  const [form, setForm] = useState(() => unsaved.get(key) ?? begin(task ?? NO_FIELDS));
  const [isOld, setOld] = useState(unsaved.has(key));
  // Decided once: nothing folds away under the hands of whoever empties a field.
  const [isMore] = useState(() => FIELD_NAMES.slice(RARE).some((name) => form.texts[name] !== ''));
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
    const { changed, seen, problem } = changesOf(form.base, form.texts);
    if (isBusy) return;
    if (problem !== null) return setError(problem);
    setBusy(true);
    try {
      if (task === null) say((await act('add', { title: '', ...changed, draft: isDraft })).message);
      else if (Object.keys(changed).length > 0)
        say((await act('edit', { id: task.id, change: changed, seen })).message);
      forget();
      onClose();
    } catch (refused) {
      setError(sentenceOf(refused));
      const now = task === null ? null : await read<Task>(`/api/tasks/${task.id}/fields`).catch(() => null);
      if (now !== null) change((before) => merged(before, now));
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
        {FIELD_NAMES.slice(0, RARE).map(field)}
        <details class="wide" open={isMore}>
          <summary>More</summary>
          <div class="task-form">{FIELD_NAMES.slice(RARE).map(field)}</div>
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

/** What the task says by now, and what this person has typed over it. */
function merged({ base, texts, theirs: earlier }: Form, now: Fields): Form {
  const [before, after] = [textsOf(base), textsOf(now)];
  const result: Form = { base: now, texts: { ...texts }, theirs: {} };
  for (const name of FIELD_NAMES) {
    if (texts[name] === before[name]) result.texts[name] = after[name];
    else if (after[name] !== before[name] || earlier[name] !== undefined) result.theirs[name] = after[name];
  }
  return result;
}

const isAdding = signal(false);

export function addTask(): void {
  isAdding.value = true;
}

function stop(): void {
  isAdding.value = false;
}

/** On every page, behind one key. */
export const AddTask = () => (isAdding.value ? <TaskForm task={null} onClose={stop} /> : null);
