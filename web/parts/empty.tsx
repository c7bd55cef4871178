import type { ComponentChildren } from 'preact';

/** Where there is nothing to show: why, and what to type. */
export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;
