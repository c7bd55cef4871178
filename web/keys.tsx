// Keyboard shortcuts. Each component declares its own; `?` lists those that work now.
import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';

/** `keys`: one key, or two in sequence, separated by a space. */
export type Shortcut = { keys: string; does: string; run(): void };

/** By the order in which components were mounted: an inner component is mounted after its outer one. */
const shortcutLists = signal<ReadonlyMap<number, readonly Shortcut[]>>(new Map());
let mounted = 0;

export function useKeys(list: readonly Shortcut[]): void {
  const [order] = useState(() => {
    mounted += 1;
    return mounted;
  });
  // Before the browser paints: a key must act on what the person sees.
  useLayoutEffect(() => {
    shortcutLists.value = new Map(shortcutLists.value).set(order, list);
  });
  useLayoutEffect(
    () => () => {
      shortcutLists.value = new Map([...shortcutLists.value].filter(([other]) => other !== order));
    },
    [order],
  );
}

/** Each key once: a page's own shortcut wins over the one of the frame around it. */
export function shortcuts(): readonly Shortcut[] {
  const inner = [...shortcutLists.value].sort(([one], [other]) => other - one).flatMap(([, list]) => list);
  const found = new Map<string, Shortcut>();
  for (const shortcut of inner) if (!found.has(shortcut.keys)) found.set(shortcut.keys, shortcut);
  return [...found.values()];
}

/** Remembered until the next key, without a time limit: a slow hand or a busy machine must not change the meaning. */
let firstKey: string | null = null;

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  // A closed dialog keeps the focus until it is removed from the page; its fields still own their keys.
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

/** Fields take letters as text, and links and buttons have an Enter of their own. */
const isUsedByTarget = (target: EventTarget | null, key: string): boolean =>
  target instanceof HTMLElement &&
  (target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null ||
    (key === 'Enter' && target.closest('a, button, summary') !== null));

const isListing = signal(false);

export function listKeys(): void {
  isListing.value = true;
}

function hideKeys(): void {
  isListing.value = false;
}

export function KeysOverlay() {
  if (!isListing.value) return null;
  return (
    <Dialog title="Keys" onClose={hideKeys}>
      <dl class="keys">
        {shortcuts().map(({ keys, does }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
