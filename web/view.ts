import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { Told } from '../src/ui/live.ts';
import { ask, Refused } from './api.ts';
import { onChange } from './live.ts';

/** How many of those that somebody waits for have nothing to show yet. Right in every frame: it is counted before anything is painted. */
export const awaited = signal(0);

export type Shown<T> = {
  /** Null until it was read for the first time; after that what was read last, whatever happens. */
  value: T | null;
  /** Why it could not be read, in a sentence. */
  error: string | null;
  reload(): void;
};

type Read<T> = { path: string; value: T | null; error: string | null };

/** What was shown last is shown again at once, while it is read anew. */
const known = new Map<string, unknown>();
const MAX_KNOWN = 50;

/** Changes come in bursts, and nobody sees more than a few pictures a second. */
const AT_MOST_EVERY_MS = 250;

/** The value at an address of the server, read anew when something happens that it depends on. */
export function useView<T>(path: string, dependsOn: (event: Told) => boolean = () => true): Shown<T> {
  const [shown, setShown] = useState<Read<T>>({ path, value: null, error: null });
  const [reader] = useState(() => ({ reload: () => {}, dependsOn }));
  reader.dependsOn = dependsOn;

  useLayoutEffect(() => {
    const over = new AbortController();
    let isReading = false;
    let isWanted = false;
    let isAwaited = !known.has(path);
    if (isAwaited) awaited.value += 1;
    const arrived = (): void => {
      if (isAwaited) awaited.value -= 1;
      isAwaited = false;
    };
    const reload = async (): Promise<void> => {
      isWanted = true;
      if (isReading) return;
      isReading = true;
      while (isWanted && !over.signal.aborted) {
        isWanted = false;
        const result = await readAt<T>(path, over.signal);
        if (over.signal.aborted) return;
        arrived();
        if (result.value !== null) remember(path, result.value);
        setShown((before) => ({ path, value: result.value ?? lastOf(path, before), error: result.error }));
        await new Promise((passed) => setTimeout(passed, AT_MOST_EVERY_MS));
      }
      isReading = false;
    };
    reader.reload = () => void reload();
    void reload();
    const forget = onChange((events) => {
      if (events === null || events.some((event) => reader.dependsOn(event))) void reload();
    });
    return () => {
      // Nobody waits for it any more, so the server need not go on either.
      over.abort();
      arrived();
      forget();
    };
  }, [path, reader]);

  return {
    value: lastOf(path, shown),
    error: shown.path === path ? shown.error : null,
    reload: () => reader.reload(),
  };
}

const readAt = <T>(path: string, signal: AbortSignal): Promise<Pick<Read<T>, 'value' | 'error'>> =>
  ask(path, { signal })
    .then((response): Promise<T> => response.json())
    .then(
      (value) => ({ value, error: null }),
      (error: unknown) => ({ value: null, error: sentenceOf(error) }),
    );

/** What is on the screen stays there, also when too much else was read since for it to be kept. */
const lastOf = <T>(path: string, shown: Read<T>): T | null =>
  (shown.path === path ? shown.value : null) ?? (known.get(path) as T | undefined) ?? null;

function remember(path: string, value: unknown): void {
  known.delete(path);
  known.set(path, value);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}

export const sentenceOf = (error: unknown): string =>
  error instanceof Refused ? error.message : 'Something that should not happen; reload the page.';
