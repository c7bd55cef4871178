import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Text } from './labels.tsx';

/** Enough for a person to decide whether to read on. */
const SHOWN_CHARACTERS = 1_200;

/** Text with its line breaks. Of a long one it shows the beginning, and a button for the rest. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > SHOWN_CHARACTERS * 1.5;
  return (
    <div class="said">
      <Text>{isCut ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}</Text>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  );
}

type ScrollBoxProps = { label: string; children: ComponentChildren };

/** For content that is longer or wider than its place: the box scrolls, and the page does not. */
export const ScrollBox = ({ label, children }: ScrollBoxProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a person without a mouse scrolls it by keyboard.
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);

type Props = { summary: ComponentChildren; children: () => ComponentChildren };

/** Its children are read and drawn only while it is open. */
export function Disclosure({ summary, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
