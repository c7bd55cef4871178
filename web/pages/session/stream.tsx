import { useEffect, useRef, useState } from 'preact/hooks';
import { ENTRY_GROUPS, type EntryGroup } from '../../../src/domain/transcript/entry.ts';
import type { SessionView } from '../../../src/ui/views/session.ts';
import { useKeys } from '../../keys.tsx';
import { currentUrl, go, withQuery } from '../../navigation.ts';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { useEntries } from './entries.ts';
import { Matches, SearchBox, useFind } from './find.tsx';
import { SessionReport } from './report.tsx';
import { EntryRow, WholeEntry } from './row.tsx';

const isGroup = (word: string): word is EntryGroup => ENTRY_GROUPS.some((group) => group === word);

/** The entries of a session, and beside them the selected one in full. */
export function Stream({ value }: { value: SessionView }) {
  const { stream, isOver } = value;
  const base = `/api/sessions/${value.session.id}`;
  const query = currentUrl.value.searchParams;
  const [word, words] = [query.get('only') ?? '', query.get('q') ?? ''];
  const only = isGroup(word) ? word : null;
  const total = only === null ? stream.count : stream.counts[only];
  const filter = only === null ? '' : `&only=${only}`;
  const rows = useEntries(`${base}/entries?${filter}&`, total);
  const search = useFind(words === '' ? null : `${base}/find?q=${encodeURIComponent(words)}${filter}`, total);
  const matches = new Set(search.found);
  const [selected, setSelected] = useState<number | null>(null);
  const [isFollowing, setFollowing] = useState(!isOver);

  const move = (step: number): void =>
    setSelected((from) =>
      total === 0 ? null : Math.min(total - 1, Math.max(0, (from ?? (step > 0 ? -1 : total)) + step)),
    );
  const isWaiting = useRef(false);
  const toMatch = (isForward: boolean): void => {
    const { found } = search;
    const here = selected ?? -1;
    const next = isForward ? found.find((at) => at > here) : found.findLast((at) => at < here);
    isWaiting.current = next === undefined && isForward && search.isMore && matches.has(here);
    if (isWaiting.current) search.more();
    const to = next ?? (isForward ? found[0] : found.at(-1));
    if (to === undefined || isWaiting.current) return;
    setFollowing(false);
    setSelected(to);
  };
  // Once per search: a match that comes later must not move the person away from what they read.
  const isFound = search.found.length > 0;
  useEffect(() => {
    if (isFound) toMatch(true);
  }, [words, isFound]);
  useEffect(() => {
    if (isWaiting.current) toMatch(true);
  }, [search.found.length, search.isMore]);
  // A position counts the shown entries only, so another filter gives it another meaning.
  useEffect(() => setSelected(null), [only]);
  const box = useRef<HTMLInputElement>(null);
  useKeys([
    { keys: 'j', does: 'next entry', run: () => move(1) },
    { keys: 'k', does: 'previous entry', run: () => move(-1) },
    { keys: '/', does: 'search in the session', run: () => box.current?.focus() },
    { keys: 'n', does: 'next match', run: () => toMatch(true) },
    { keys: 'N', does: 'previous match', run: () => toMatch(false) },
    { keys: 'f', does: 'follow new entries', run: () => setFollowing(true) },
    { keys: 'Escape', does: 'close the entry', run: () => setSelected(null) },
  ]);
  const number = selected === null ? null : (rows.row(selected)?.number ?? null);
  return (
    <>
      <div class="stream-bar">
        <SearchBox box={box} words={words} onNext={toMatch} />
        {words !== '' && <Matches search={search} selected={selected} />}
        <fieldset class="groups" aria-label="Show">
          {[null, ...ENTRY_GROUPS].map((group) => (
            <button
              key={group}
              type="button"
              aria-pressed={group === only}
              onClick={() => go(withQuery({ only: group ?? '' }), { replace: true })}
            >
              {group ?? 'all'} {group === null ? stream.count : stream.counts[group]}
            </button>
          ))}
        </fieldset>
        {!isOver && (
          <button type="button" aria-pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
            {isFollowing ? 'Following' : 'Follow'}
          </button>
        )}
        <span class="aside" role="status">
          {stream.read < (stream.size ?? 0) &&
            `reading, ${Math.floor((100 * stream.read) / (stream.size ?? 1))} %`}
          {stream.isFull && `only the first ${stream.count} entries; the rest is in its file`}
        </span>
      </div>
      <div class="stream">
        <VirtualList
          label="What happened"
          total={total}
          selected={selected}
          isFollowing={isFollowing}
          row={(position) => (
            <EntryRow row={rows.row(position)} words={matches.has(position) ? words : null} />
          )}
          onSelect={setSelected}
          onMove={move}
          onLeave={() => setFollowing(false)}
          onShow={(first, last) => rows.want(first, last)}
        />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a person without a mouse scrolls it by keyboard */}
        <section class="beside" aria-label={number === null ? 'The session' : 'The entry'} tabIndex={0}>
          {number === null ? (
            <SessionReport value={value} />
          ) : (
            <WholeEntry base={base} number={number} onClose={() => setSelected(null)} />
          )}
        </section>
      </div>
    </>
  );
}
