import { useEffect, useState } from 'preact/hooks';
import type { StreamMatches } from '../../../src/ui/views/session.ts';
import { request } from '../../api.ts';
import { onChange } from '../../live.ts';
import { errorSentence } from '../../view.ts';

export type Search = {
  /** Positions, in order. */
  found: readonly number[];
  /** There may be more of them behind the last. */
  isMore: boolean;
  isBusy: boolean;
  /** Why it could not go on, in a sentence; it is tried again when the server tells of something. */
  error: string | null;
  more(): void;
};

type FindState = {
  path: string | null;
  found: readonly number[];
  next: number;
  wanted: number;
  error: string | null;
  /** How often it began anew where it was. */
  tries: number;
};

const MATCHES_PER_BATCH = 500;
/** For a server that has not read as far as this page knows: it was started anew. */
const RETRY_AFTER_MS = 500;

const emptyState = (path: string | null): FindState => ({
  path,
  found: [],
  next: 0,
  wanted: MATCHES_PER_BATCH,
  error: null,
  tries: 0,
});

/** Where the words are that `path` asks for; null for none. Goes on as the list grows. */
export function useFind(path: string | null, total: number): Search {
  const [state, setState] = useState(() => emptyState(path));
  const known = state.path === path ? state : emptyState(path);
  const { found, next, wanted, error, tries } = known;
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
