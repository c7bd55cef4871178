// The keyboard: what each key does is said where it does it, and listed by `?`.
import { signal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';

/** `keys`: one key, or two after each other with a space between them. */
export type Shortcut = { keys: string; does: string; run(): void };

/** Those of the page that is shown last come first. */
export const shortcuts = signal<readonly (readonly Shortcut[])[]>([]);

export function useKeys(list: readonly Shortcut[]): void {
  // Before anything is painted: a key that is pressed at what is seen must mean that.
  useLayoutEffect(() => {
    shortcuts.value = [list, ...shortcuts.value];
    return () => {
      shortcuts.value = shortcuts.value.filter((one) => one !== list);
    };
  });
}

const SECOND_KEY_WITHIN_MS = 1_000;
let first: { key: string; at: number } | null = null;

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (isTaken(event.target, event.key) || document.querySelector('dialog[open]') !== null) return;
  const sequence =
    first !== null && event.timeStamp - first.at < SECOND_KEY_WITHIN_MS ? `${first.key} ${event.key}` : null;
  first = { key: event.key, at: event.timeStamp };
  const all = shortcuts.value.flat();
  const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === event.key);
  if (found === undefined) return;
  first = null;
  event.preventDefault();
  found.run();
});

/** Whoever types means letters, a dialog is left by the Escape that closes it, and links and buttons have an Enter of their own. */
const isTaken = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (target.closest('dialog, input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null ||
    (key === 'Enter' && target.closest('a, button, summary') !== null));
