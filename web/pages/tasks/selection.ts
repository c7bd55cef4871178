import { useState } from 'preact/hooks';

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
