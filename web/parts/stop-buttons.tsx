import { useState } from 'preact/hooks';
import type { StopTime } from '../../src/domain/sessions/session.ts';
import { actAndNotify } from '../notice.tsx';
import { useIsReadOnly } from '../project.ts';
import { Confirm } from './dialog.tsx';

/** `sessions`: how many of the run are at work now. */
type Props = { run: number; stopping: StopTime | null; sessions?: number };

const TEXTS = {
  one: {
    stopping: {
      after: 'Stopping after this task: no other task will start.',
      now: 'Stopping now: the session is ending, and its task goes back to the queue.',
    },
    after: 'Stop after this task',
    question:
      'Ralph ends the session at once. The task goes back to the queue, and no try is counted. Its changes so far are kept for its next session.',
    yes: 'End the session',
  },
  several: {
    stopping: {
      after: 'Stopping after these tasks: no other task will start.',
      now: 'Stopping now: the sessions are ending, and their tasks go back to the queue.',
    },
    after: 'Stop after these tasks',
    question:
      'Ralph ends all sessions at once. Their tasks go back to the queue, and no try is counted. Their changes so far are kept for their next sessions.',
    yes: 'End the sessions',
  },
};

/** For a run whose process is alive. */
export function StopButtons({ run, stopping, sessions = 1 }: Props) {
  const [isAsking, setAsking] = useState(false);
  const isReadOnly = useIsReadOnly();
  const isIdle = sessions === 0;
  const texts = sessions > 1 ? TEXTS.several : TEXTS.one;
  const stop = (when: StopTime) => void actAndNotify('stop', { run, when });
  return (
    <>
      {stopping !== null && <p class="stopping">■ {texts.stopping[stopping]}</p>}
      {!isReadOnly && stopping !== 'now' && (
        <div class="buttons">
          {stopping === null && (
            <button type="button" onClick={() => stop('after')}>
              {isIdle ? 'Stop the run' : texts.after}
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
          question={texts.question}
          yes={texts.yes}
          onYes={() => stop('now')}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
