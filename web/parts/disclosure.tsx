import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type Props = { summary: ComponentChildren; children: () => ComponentChildren };

/** What is read from the server, or drawn, only once somebody wants to see it. */
export function Disclosure({ summary, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
