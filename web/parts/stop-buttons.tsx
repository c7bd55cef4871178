import { useState } from 'preact/hooks';
import type { StopTime } from '../../src/domain/sessions/session.ts';
import { actAndNotify } from '../notice.ts';
import { useIsReadOnly } from '../project.ts';
import { Confirm } from './confirm.tsx';

/** `isIdle`: the run has no session now. */
type Props = { run: number; stopping: StopTime | null; isIdle?: boolean };

const STOPPING_TEXT = {
  after: 'Stopping after this task: no other task will start.',
  now: 'Stopping now: the session is ending, and its task goes back to the queue.',
};

/** For a run whose process is alive. */
export function StopButtons({ run, stopping, isIdle = false }: Props) {
  const [isAsking, setAsking] = useState(false);
  const isReadOnly = useIsReadOnly();
  const stop = (when: StopTime) => void actAndNotify('stop', { run, when });
  return (
    <>
      {stopping !== null && <p class="stopping">■ {STOPPING_TEXT[stopping]}</p>}
      {!isReadOnly && stopping !== 'now' && (
        <div class="buttons">
          {stopping === null && (
            <button type="button" onClick={() => stop('after')}>
              {isIdle ? 'Stop the run' : 'Stop after this task'}
            </button>
          )}
          {!isIdle && (
            <button type="button" class="danger" onClick={() => setAsking(true)}>
              Stop now
            </button>
          )}
        </div>
      )}
      {isAsking && (
        <Confirm
          title="Stop now?"
          question="Ralph ends the session at once. The task goes back to the queue, and no try is counted. Its changes so far are kept for its next session."
          yes="End the session"
          onYes={() => stop('now')}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
