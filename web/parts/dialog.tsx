import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { visible } from '../../src/domain/text/text.ts';
import { Text } from './labels.tsx';

type Props = { title: string; onClose: () => void; children: ComponentChildren };

/** The browser's own dialog: it keeps the focus inside, closes by Escape, and gives the focus back. */
export function Dialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      // A dialog that is removed from the page while it is open does not give the focus back.
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <header>
        <h2 id={heading}>{visible(title)}</h2>
        <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
          ×
        </button>
      </header>
      {children}
    </dialog>
  );
}

type ConfirmProps = { title: string; question: string; yes: string; onYes: () => void; onClose: () => void };

/** For actions that no single click takes back. */
export const Confirm = ({ title, question, yes, onYes, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>
      <Text>{question}</Text>
    </p>
    <div class="buttons">
      <button type="button" onClick={onClose}>
        Cancel
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => {
          onClose();
          onYes();
        }}
      >
        {yes}
      </button>
    </div>
  </Dialog>
);
