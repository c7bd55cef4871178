import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Text } from './labels.tsx';

/** As much as is read before somebody decides to read on. */
const SHOWN_CHARACTERS = 1_200;

/** What somebody wrote, with its lines; of what is long the beginning, and the rest when it is asked for. */
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

type Props = { label: string; children: ComponentChildren };

/** For what is longer or wider than its place: it scrolls in itself, and never the page. */
export const ScrollBox = ({ label, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keyboard.
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
