import type { Session } from '../../src/domain/sessions/session.ts';
import { leftBehindText, sessionLook } from '../../src/domain/sessions/session-state.ts';
import { STATE_SYMBOLS } from '../../src/domain/tasks/status-word.ts';

type Props = { session: Pick<Session, 'ended' | 'closing' | 'outcome' | 'root'>; isAlive: boolean };

export function SessionState({ session, isAlive }: Props) {
  const { state, word } = sessionLook(session, isAlive);
  return (
    <span
      class={`status ${state}`}
      title={state === 'left_behind' ? leftBehindText(session.root) : undefined}
    >
      <span aria-hidden="true">{STATE_SYMBOLS[state]}</span> {word}
    </span>
  );
}
