import { signal } from '@preact/signals';

/** The time by which ages are told; it stands still while nobody looks. */
export const clock = signal(Date.now());

setInterval(() => {
  if (!document.hidden) clock.value = Date.now();
}, 1_000);
