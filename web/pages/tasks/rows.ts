import { useRef } from 'preact/hooks';
import { go } from '../../navigation.ts';

export type Rows = {
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
