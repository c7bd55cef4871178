import { useState } from 'preact/hooks';
import { act } from '../api.ts';
import { showNotice } from '../notice.ts';
import { errorSentence } from '../view.ts';
import { Dialog } from './dialog.tsx';
import { Problem } from './labels.tsx';

type Props = { ids: readonly number[]; title: string; onDone?: () => void; onClose: () => void };

/** The note stays in the dialog until the server takes it. */
export function RetryDialog({ ids, title, onDone, onClose }: Props) {
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
