import type { ComponentChildren } from 'preact';

type Props = { label: string; children: ComponentChildren };

/** For what is longer or wider than its place: it scrolls in itself, and never the page. */
export const ScrollBox = ({ label, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keyboard.
  <section class="scroll" aria-label={label} tabIndex={0}>
    {children}
  </section>
);
