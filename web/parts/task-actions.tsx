import { useState } from 'preact/hooks';
import { TRANSITIONS } from '../../src/domain/tasks/status.ts';
import type { Status, Task } from '../../src/domain/tasks/task.ts';
import { act } from '../api.ts';
import { type Shortcut, useKeys } from '../keys.tsx';
import { actAndNotify, showNotice } from '../notice.tsx';
import { useIsReadOnly } from '../project.ts';
import { errorSentence } from '../view.ts';
import { Confirm, Dialog } from './dialog.tsx';
import { Problem } from './labels.tsx';

type TaskAction = { label: string; key: string; run(): void; isFirst?: boolean };

/** `onEdit`: given where the page is about this task alone; keys then act on it, too. `isPlain`: no button stands out. */
type Props = { task: Pick<Task, 'id' | 'title' | 'status'>; onEdit?: () => void; isPlain?: boolean };

/** The actions that the task's status allows. The queue refuses all others. */
export function TaskActions({ task: { id, title, status }, onEdit, isPlain = false }: Props) {
  const isReadOnly = useIsReadOnly();
  const [asking, setAsking] = useState<'retry' | 'skip' | null>(null);
  const isAllowed = (from: readonly Status[]): boolean => !isReadOnly && from.includes(status);
  const actions: (TaskAction | false)[] = [
    isAllowed(TRANSITIONS.approve.from) && {
      label: 'Approve',
      key: 'y',
      isFirst: true,
      run: () => void actAndNotify('approve', { ids: [id] }),
    },
    isAllowed([...TRANSITIONS.retry.from, ...TRANSITIONS.unblock.from]) && {
      label: 'Retry',
      key: 'r',
      isFirst: status !== 'skipped',
      run: () => setAsking('retry'),
    },
    isAllowed(TRANSITIONS.skip.from) && {
      label: status === 'draft' ? 'Drop' : 'Skip',
      key: 's',
      run: () => setAsking('skip'),
    },
    onEdit !== undefined && !isReadOnly && { label: 'Edit', key: 'e', run: onEdit },
  ];
  const shown = actions.filter((action) => action !== false);
  useKeys(
    (onEdit === undefined ? [] : shown).map(
      ({ label, key, run }): Shortcut => ({ keys: key, does: `${label} this task`, run }),
    ),
  );
  return (
    <div class="buttons">
      {shown.map(({ label, run, isFirst = false }) => (
        <button key={label} type="button" class={isFirst && !isPlain ? 'primary' : ''} onClick={run}>
          {label}
        </button>
      ))}
      {asking === 'retry' && (
        <RetryDialog ids={[id]} title={`Retry #${id}`} onClose={() => setAsking(null)} />
      )}
      {asking === 'skip' && (
        <Confirm
          title={status === 'draft' ? `Drop #${id}?` : `Skip #${id}?`}
          question={`Ralph leaves "${title}" out. Tasks that wait for it go on without it.`}
          yes={status === 'draft' ? 'Drop it' : 'Skip it'}
          onYes={() =>
            void (status === 'draft'
              ? actAndNotify('approve', { ids: [], drop: [id] })
              : actAndNotify('skip', { ids: [id] }))
          }
          onClose={() => setAsking(null)}
        />
      )}
    </div>
  );
}

type RetryProps = { ids: readonly number[]; title: string; onDone?: () => void; onClose: () => void };

/** The note stays in the dialog until the server takes it. */
export function RetryDialog({ ids, title, onDone, onClose }: RetryProps) {
  const [note, setNote] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    try {
      showNotice((await act('retry', { ids, note })).message);
      onClose();
      onDone?.();
    } catch (refused) {
      setError(errorSentence(refused));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="retry"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label>
          A note for the next session, if you know more
          <textarea rows={5} value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
        </label>
        <p class="aside">The note goes into the next prompt, and stays with the task as your comment.</p>
        <Problem sentence={error} />
        <div class="buttons">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" aria-busy={isBusy}>
            Queue it again
          </button>
        </div>
      </form>
    </Dialog>
  );
}
