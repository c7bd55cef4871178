import { useEffect, useRef, useState } from 'preact/hooks';
import type { StreamMatches } from '../../../src/ui/views/session.ts';
import { request } from '../../api.ts';
import { onChange } from '../../live.ts';
import { go, withQuery } from '../../navigation.ts';
import { Problem } from '../../parts/labels.tsx';
import { errorSentence } from '../../view.ts';

export type Search = {
  /** Positions of matches, in order. */
  found: readonly number[];
  /** There may be more matches after the last one. */
  isMore: boolean;
  isBusy: boolean;
  /** Why the search stopped, in a sentence. The next event of the server starts it again. */
  error: string | null;
  more(): void;
};

type FindState = {
  path: string | null;
  found: readonly number[];
  next: number;
  wanted: number;
  error: string | null;
  /** How often the search was repeated at the same position. */
  tries: number;
};

const MATCHES_PER_BATCH = 500;
/** A restarted server may not have read as much of the stream as this page knows. */
const RETRY_AFTER_MS = 500;

const emptyState = (path: string | null): FindState => ({
  path,
  found: [],
  next: 0,
  wanted: MATCHES_PER_BATCH,
  error: null,
  tries: 0,
});

/** Searches for what `path` asks for, and continues as the list grows. Null: no search. */
export function useFind(path: string | null, total: number): Search {
  const [state, setState] = useState(() => emptyState(path));
  const { found, next, wanted, error, tries } = state.path === path ? state : emptyState(path);
  const isMore = path !== null && next < total;
  const isBusy = isMore && error === null && found.length < wanted;
  const change = (step: (before: FindState) => Partial<FindState>): void =>
    setState((before) => {
      const current = before.path === path ? before : emptyState(path);
      return { ...current, ...step(current) };
    });
  const again = (): void => change((before) => ({ error: null, tries: before.tries + 1 }));

  useEffect(() => {
    if (!isBusy) return;
    const controller = new AbortController();
    let waiting: ReturnType<typeof setTimeout>;
    request(`${path}&from=${next}`, { signal: controller.signal })
      .then((answer) => answer.json())
      .then(
        (more: StreamMatches) => {
          if (controller.signal.aborted) return;
          if (more.next === next) waiting = setTimeout(again, RETRY_AFTER_MS);
          else change((before) => ({ found: [...before.found, ...more.found], next: more.next }));
        },
        (refused: unknown) => {
          if (!controller.signal.aborted) change(() => ({ error: errorSentence(refused) }));
        },
      );
    return () => {
      controller.abort();
      clearTimeout(waiting);
    };
  }, [path, next, isBusy, tries]);
  useEffect(() => (error === null ? undefined : onChange(again)), [path, error]);

  return {
    found,
    isMore,
    isBusy,
    error,
    more: () => change((before) => ({ wanted: before.found.length + MATCHES_PER_BATCH, error: null })),
  };
}

type SearchProps = {
  box: { current: HTMLInputElement | null };
  words: string;
  onNext(isForward: boolean): void;
};

/** Waits for a pause in typing before it searches. */
const SEARCH_AFTER_MS = 250;

export function SearchBox({ box, words, onNext }: SearchProps) {
  const typing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ask = (text: string): void => go(withQuery({ q: text }), { replace: true });
  useEffect(() => () => clearTimeout(typing.current), []);
  return (
    <input
      ref={box}
      type="search"
      aria-label="Search in the session"
      placeholder="Search  /"
      defaultValue={words}
      onInput={({ currentTarget: { value } }) => {
        clearTimeout(typing.current);
        typing.current = setTimeout(ask, SEARCH_AFTER_MS, value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          clearTimeout(typing.current);
          const { value } = event.currentTarget;
          if (value === words) onNext(!event.shiftKey);
          else ask(value);
        }
        if (event.key === 'Escape') event.currentTarget.blur();
      }}
    />
  );
}

export function Matches({ search, selected }: { search: Search; selected: number | null }) {
  const { found, isMore, isBusy, error } = search;
  const at = found.indexOf(selected ?? -1);
  const count = `${found.length}${isMore && !isBusy ? '+' : ''}`;
  return (
    <>
      <span class="matches" role="status">
        {isBusy && found.length === 0
          ? 'searching'
          : at >= 0
            ? `${at + 1} of ${count}`
            : `${count} ${count === '1' ? 'match' : 'matches'}`}
      </span>
      <Problem sentence={error} />
    </>
  );
}
