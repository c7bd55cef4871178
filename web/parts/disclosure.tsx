import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

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
