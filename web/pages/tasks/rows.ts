import { useRef, useState } from 'preact/hooks';
import { go } from '../../navigation.ts';

type Rows = {
  element: { current: HTMLDivElement | null };
  move(step: number): void;
  open(): void;
  withFocused(act: (id: number) => void): void;
  leave(): void;
};

/** The row that was focused last, so that a person who comes back from a task continues there. */
let lastFocus = { path: '', index: 0 };

/** Keys act on the focused row. If that row vanishes, the next one takes its place. */
export function useRows(path: string): Rows {
  const element = useRef<HTMLDivElement>(null);
  const all = (): HTMLElement[] => [...(element.current?.querySelectorAll<HTMLElement>('[data-task]') ?? [])];
  const current = (): number => all().findIndex((row) => row.contains(document.activeElement));
  const withCurrent = (act: (id: number) => void): void => {
    const id = all()[current()]?.dataset['task'];
    if (id !== undefined) act(Number(id));
  };
  return {
    element,
    move: (step) => {
      const [at, rows] = [current(), all()];
      const next = at === -1 ? (lastFocus.path === path ? lastFocus.index : 0) : at + step;
      const index = Math.max(0, Math.min(next, rows.length - 1));
      lastFocus = { path, index };
      rows[index]?.querySelector<HTMLElement>('.task-link')?.focus();
    },
    open: () => withCurrent((id) => go(`/tasks/${id}`)),
    withFocused: withCurrent,
    leave: () => {
      if (current() !== -1 && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  };
}

export type Selection = {
  /** Only tasks that are shown: a person must see what they act on. */
  ids: readonly number[];
  set(ids: readonly number[]): void;
  toggle(id: number): void;
};

/** The selected tasks. Another filter or page of the list starts with none. */
export function useSelection(path: string, shown: readonly number[]): Selection {
  const [selected, setSelected] = useState<{ path: string; ids: readonly number[] }>({ path, ids: [] });
  const idsHere = (state: typeof selected): readonly number[] => (state.path === path ? state.ids : []);
  return {
    ids: shown.filter((id) => idsHere(selected).includes(id)),
    set: (ids) => setSelected({ path, ids }),
    // From the latest state, not from the one on the screen: keys may be faster than drawing.
    toggle: (id) =>
      setSelected((before) => {
        const ids = idsHere(before);
        return { path, ids: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id] };
      }),
  };
}
