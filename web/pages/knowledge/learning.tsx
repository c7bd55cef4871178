import { useEffect, useRef, useState } from 'preact/hooks';
import { isHeldBack } from '../../../src/domain/learnings/learning.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { ShownLearning } from '../../../src/ui/views/knowledge.ts';
import { currentUrl } from '../../navigation.ts';
import { actAndNotify } from '../../notice.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Ago, TaskLink, Text } from '../../parts/labels.tsx';
import { useIsReadOnly } from '../../project.ts';
import { LearningForm } from './learning-form.tsx';

/** `newer`: the learning beside it that contradicts it. */
type Props = { learning: ShownLearning; newer?: number };

export function Learning({ learning, newer }: Props) {
  const { id, category, scope, body, reason, confirmations, conflicts_with } = learning;
  const card = useRef<HTMLElement>(null);
  const isLookedFor = currentUrl.value.hash === `#learning-${id}`;
  useEffect(() => {
    if (isLookedFor) card.current?.scrollIntoView({ block: 'center' });
  }, [isLookedFor]);
  const odds = conflicts_with ?? newer;
  return (
    <article
      ref={card}
      id={`learning-${id}`}
      class={`card learning ${isLookedFor ? 'looked-for' : ''}`}
      aria-label={`Learning ${id}`}
    >
      <p class="head">
        <span class="kind">{category}</span>
        <span class="id">{id}</span>
        {scope === 'task' && <span>for its task only</span>}
        {isHeldBack(learning) && <strong class="warning">waits for proof</strong>}
        {odds !== undefined && <strong class="warning">contradicts {odds}</strong>}
        {confirmations > 0 && <span>said {confirmations + 1} times</span>}
        <Outcome learning={learning} />
      </p>
      <p class="said">
        <Text>{body}</Text>
      </p>
      {reason !== null && (
        <p class="said">
          <span class="aside">Why:</span> <Text>{reason}</Text>
        </p>
      )}
      {learning.gives_orders && (
        <p class="warning">Reads like an instruction, so prompts say not to follow it.</p>
      )}
      <div class="foot">
        <Origin learning={learning} />
        <Decide learning={learning} />
      </div>
    </article>
  );
}

/** How many sessions got the learning, and how many of them passed on the first try. */
function Outcome({ learning: { given, passed } }: Props) {
  if (given === 0) return <span class="aside">given to no session yet</span>;
  const rate = Math.round((100 * passed) / given);
  return (
    <span class="aside outcome">
      <span class="rate" aria-hidden="true">
        <span style={{ width: `${rate}%` }} />
      </span>
      given to {plural(given, 'session')}, {rate}% passed on the first try
    </span>
  );
}

const Origin = ({ learning: { task_id, title, session_id, discipline, created, archived } }: Props) => (
  <span class="aside">
    {task_id === null ? 'taught' : <TaskLink id={task_id} title={title ?? ''} />}
    {session_id !== null && (
      <>
        {' in '}
        <a href={`/sessions/${session_id}`}>a session</a>
      </>
    )}
    {discipline !== null && (
      <>
        {' of '}
        <Text>{discipline}</Text>
      </>
    )}{' '}
    <Ago at={created} />
    {archived !== null && (
      <>
        , archived <Ago at={archived} />
      </>
    )}
  </span>
);

function Decide({ learning }: Props) {
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const { id, archived } = learning;
  if (useIsReadOnly()) return null;
  const close = () => setOpen(null);
  return (
    <span class="buttons">
      <button type="button" aria-label={`Edit learning ${id}`} onClick={() => setOpen('edit')}>
        Edit
      </button>
      {isHeldBack(learning) && (
        <button
          type="button"
          aria-label={`Approve learning ${id}`}
          onClick={() => void actAndNotify('approve-learning', { id })}
        >
          Approve
        </button>
      )}
      {archived === null ? (
        <button
          type="button"
          aria-label={`Archive learning ${id}`}
          onClick={() => void actAndNotify('archive-learning', { id })}
        >
          Archive
        </button>
      ) : (
        <button
          type="button"
          aria-label={`Restore learning ${id}`}
          onClick={() => void actAndNotify('restore-learning', { id })}
        >
          Restore
        </button>
      )}
      <button type="button" aria-label={`Remove learning ${id}`} onClick={() => setOpen('remove')}>
        Remove
      </button>
      {open === 'edit' && <LearningForm learning={learning} feature={learning.feature} onClose={close} />}
      {open === 'remove' && (
        <Confirm
          title={`Remove learning ${id}?`}
          question={`This deletes "${learning.body}". To keep it, but out of prompts, archive it.`}
          yes="Remove it"
          onYes={() => void actAndNotify('remove-learning', { id })}
          onClose={close}
        />
      )}
    </span>
  );
}
