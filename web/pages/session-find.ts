import { useEffect, useState } from 'preact/hooks';
import type { Found } from '../../src/ui/views/session.ts';
import { ask } from '../api.ts';

export type Search = {
  /** Positions, in order. */
  found: readonly number[];
  /** There may be more of them behind the last. */
  isMore: boolean;
  isBusy: boolean;
  more(): void;
};

type Known = { path: string; found: readonly number[]; next: number; wanted: number };

const AT_ONCE = 500;

/** Where the words are that `path` asks for; null for none. Goes on as the list grows. */
export function useFind(path: string | null, total: number): Search {
  const [state, setState] = useState<Known | null>(null);
  const known =
    state !== null && state.path === path ? state : { path: path ?? '', found: [], next: 0, wanted: AT_ONCE };
  const isMore = path !== null && known.next < total;
  const isBusy = isMore && known.found.length < known.wanted;
  useEffect(() => {
    if (!isBusy) return;
    const controller = new AbortController();
    ask(`${path}&from=${known.next}`, { signal: controller.signal })
      .then((answer) => answer.json())
      .then(
        ({ found, next }: Found) => setState({ ...known, found: [...known.found, ...found], next }),
        () => {},
      );
    return () => controller.abort();
  }, [path, known.next, isBusy]);
  return {
    found: known.found,
    isMore,
    isBusy,
    more: () => setState({ ...known, wanted: known.found.length + AT_ONCE }),
  };
}
