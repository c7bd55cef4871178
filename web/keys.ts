// The keyboard: what each key does is said where it does it, and listed by `?`.
import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';

/** `keys`: one key, or two after each other with a space between them. */
export type Shortcut = { keys: string; does: string; run(): void };

/** Of each that is shown, by when it was first drawn: what is inside of another one is drawn after it. */
const shortcutLists = signal<ReadonlyMap<number, readonly Shortcut[]>>(new Map());
let mounted = 0;

export function useKeys(list: readonly Shortcut[]): void {
  const [place] = useState(() => {
    mounted += 1;
    return mounted;
  });
  // Before anything is painted: a key that is pressed at what is seen must mean that.
  useLayoutEffect(() => {
    shortcutLists.value = new Map(shortcutLists.value).set(place, list);
  });
  useLayoutEffect(
    () => () => {
      shortcutLists.value = new Map([...shortcutLists.value].filter(([other]) => other !== place));
    },
    [place],
  );
}

/** Each key once: a page's own before what the same key means around every page. */
export function shortcuts(): readonly Shortcut[] {
  const inner = [...shortcutLists.value].sort(([one], [other]) => other - one).flatMap(([, list]) => list);
  const found = new Map<string, Shortcut>();
  for (const shortcut of inner) if (!found.has(shortcut.keys)) found.set(shortcut.keys, shortcut);
  return [...found.values()];
}

/** Kept until the next key, however long that takes: a slow hand, or a busy machine, means the same. */
let firstKey: string | null = null;

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  // Not what lies in a dialog that has just been closed: the focus is still in it until it is taken out of the page.
  if (isUsedByTarget(event.target, event.key) || document.querySelector('dialog[open]') !== null) return;
  const sequence = firstKey === null ? null : `${firstKey} ${event.key}`;
  firstKey = event.key;
  const all = shortcuts();
  const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === event.key);
  if (found === undefined) return;
  firstKey = null;
  event.preventDefault();
  found.run();
});

/** Whoever types means letters, and links and buttons have an Enter of their own. */
const isUsedByTarget = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null ||
    (key === 'Enter' && target.closest('a, button, summary') !== null));
