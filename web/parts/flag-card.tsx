import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Flag, flagText } from '../../src/domain/tasks/flag.ts';
import { actAndNotify } from '../notice.tsx';
import { useIsReadOnly } from '../project.ts';
import { Ago } from './labels.tsx';
import { LongText } from './long-text.tsx';

/** `children`: the task, where the page does not show it. */
type Props = { flag: Flag; children?: ComponentChildren };

export function FlagCard({ flag, children }: Props) {
  const isReadOnly = useIsReadOnly();
  const isOpen = flag.closed === null;
  return (
    <li class={isOpen && flag.severity === 'blocking' ? 'card needs_input' : 'card'}>
      <p class="head">
        <strong>F{flag.id}</strong> {children}
        <span class="aside">
          {flag.severity}, {isOpen ? 'flagged' : 'closed'} <Ago at={flag.closed ?? flag.created} />
        </span>
      </p>
      <LongText text={flagText(flag)} />
      {flag.note !== null && <LongText text={flag.note} />}
      {isOpen && !isReadOnly && <CloseForm id={flag.id} />}
    </li>
  );
}

function CloseForm({ id }: { id: number }) {
  const [note, setNote] = useState('');
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        void actAndNotify('close-flag', { id, note });
      }}
    >
      <div class="line">
        <input
          aria-label={`Note on F${id}`}
          placeholder="What came of it, if anything"
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <button type="submit">Close F{id}</button>
      </div>
    </form>
  );
}
