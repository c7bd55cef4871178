import { useState } from 'preact/hooks';

export type Selection = {
  /** Of those that are shown: nobody acts on what they do not see. */
  ids: readonly number[];
  set(ids: readonly number[]): void;
  toggle(id: number): void;
};

/** Which tasks are selected. Another filter, or another page, begins with none. */
export function useSelection(path: string, shown: readonly number[]): Selection {
  const [picked, setPicked] = useState<{ path: string; ids: readonly number[] }>({ path, ids: [] });
  const here = (given: typeof picked): readonly number[] => (given.path === path ? given.ids : []);
  return {
    ids: shown.filter((id) => here(picked).includes(id)),
    set: (ids) => setPicked({ path, ids }),
    // By what was picked last, and not by what is shown: keys may be faster than the page.
    toggle: (id) =>
      setPicked((before) => {
        const ids = here(before);
        return { path, ids: ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id] };
      }),
  };
}
