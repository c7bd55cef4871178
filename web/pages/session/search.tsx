import { useEffect, useRef } from 'preact/hooks';
import { go, withQuery } from '../../navigation.ts';
import { Problem } from '../../parts/labels.tsx';
import type { Search } from './find.ts';

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
