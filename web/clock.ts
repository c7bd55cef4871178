import { signal } from '@preact/signals';

/** The time that ages are computed from. It stands still while the page is hidden. */
export const clock = signal(Date.now());

setInterval(() => {
  if (!document.hidden) clock.value = Date.now();
}, 1_000);
