import { useState } from 'preact/hooks';
import { plural } from '../../../src/domain/text/text.ts';
import { actAndNotify } from '../../notice.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { RetryDialog } from '../../parts/task-actions.tsx';

/** Actions on the selected tasks. Each changes all of them, or none. */
export function TaskBulk({ ids, onDone }: { ids: readonly number[]; onDone: () => void }) {
  const [asking, setAsking] = useState<'retry' | 'skip' | null>(null);
  const act = async (name: string): Promise<void> => {
    if ((await actAndNotify(name, { ids })) !== null) onDone();
  };
  const count = plural(ids.length, 'task');
  return (
    <section class="bulk" aria-label="Selected tasks">
      <strong role="status">{count} selected</strong>
      <div class="buttons">
        <button type="button" onClick={() => void act('approve')}>
          Approve
        </button>
        <button type="button" onClick={() => setAsking('retry')}>
          Retry
        </button>
        <button type="button" onClick={() => setAsking('skip')}>
          Skip
        </button>
        <button type="button" class="quiet" onClick={onDone}>
          Select nothing
        </button>
      </div>
      {asking === 'retry' && (
        <RetryDialog ids={ids} title={`Retry ${count}`} onDone={onDone} onClose={() => setAsking(null)} />
      )}
      {asking === 'skip' && (
        <Confirm
          title={`Skip ${count}?`}
          question="Ralph leaves them out. Tasks that wait for them go on without them."
          yes={`Skip ${count}`}
          onYes={() => void act('skip')}
          onClose={() => setAsking(null)}
        />
      )}
    </section>
  );
}
