import { useRef } from 'preact/hooks';
import { go } from '../route.ts';

export type Rows = {
  element: { current: HTMLDivElement | null };
  move(step: number): void;
  open(): void;
  with(act: (id: number) => void): void;
  leave(): void;
};

/** The row that has the focus is the one that keys are about; a row that vanishes with it gives its place to the next one. */
export function useRows(): Rows {
  const element = useRef<HTMLDivElement>(null);
  const last = useRef(0);
  const all = (): HTMLElement[] => [...(element.current?.querySelectorAll<HTMLElement>('[data-task]') ?? [])];
  const current = (): number => all().findIndex((row) => row.contains(document.activeElement));
  const idAt = (index: number): number | null => {
    const id = all()[index]?.dataset['task'];
    return id === undefined ? null : Number(id);
  };
  const withCurrent = (act: (id: number) => void): void => {
    const id = idAt(current());
    if (id !== null) act(id);
  };
  return {
    element,
    move: (step) => {
      const [at, rows] = [current(), all()];
      const next = at === -1 ? last.current : at + step;
      last.current = Math.max(0, Math.min(next, rows.length - 1));
      rows[last.current]?.querySelector<HTMLElement>('.task-link')?.focus();
    },
    open: () => withCurrent((id) => go(`/tasks/${id}`)),
    with: withCurrent,
    leave: () => {
      if (current() !== -1 && document.activeElement instanceof HTMLElement) document.activeElement.blur();
    },
  };
}
