import { signal } from '@preact/signals';
import { useLayoutEffect, useState } from 'preact/hooks';
import type { LiveEvent } from '../src/ui/live.ts';
import { RequestError, request } from './api.ts';
import { onChange } from './live.ts';

/** How many views on the screen have no value yet. Counted before the browser paints, so it is right in every frame. */
export const pendingViews = signal(0);

export type ViewState<T> = {
  /** Null until the first read; after that the value read last, also when a later read fails. */
  value: T | null;
  /** Why it could not be read, in a sentence. */
  error: string | null;
  reload(): void;
};

type ReadResult<T> = { path: string; value: T | null; error: string | null };

/** The values read last: a page shows them at once while it reads them again. */
const lastValues = new Map<string, unknown>();
const MAX_LAST_VALUES = 50;

/** Changes come in bursts, and a person sees no more than a few updates a second. */
const RELOAD_PAUSE_MS = 250;

/** The value at an address of the server, read again after each event that it depends on. */
export function useView<T>(
  path: string,
  dependsOn: (event: LiveEvent) => boolean = () => true,
): ViewState<T> {
  const [shown, setShown] = useState<ReadResult<T>>({ path, value: null, error: null });
  const [reader] = useState(() => ({ reload: () => {}, dependsOn }));
  reader.dependsOn = dependsOn;

  useLayoutEffect(() => {
    const over = new AbortController();
    let isReading = false;
    let isWanted = false;
    let isAwaited = !lastValues.has(path);
    if (isAwaited) pendingViews.value += 1;
    const stopWaiting = (): void => {
      if (isAwaited) pendingViews.value -= 1;
      isAwaited = false;
    };
    const reload = async (): Promise<void> => {
      isWanted = true;
      if (isReading) return;
      isReading = true;
      while (isWanted && !over.signal.aborted) {
        isWanted = false;
        const result = await readView<T>(path, over.signal);
        if (over.signal.aborted) return;
        stopWaiting();
        if (result.value !== null) remember(path, result.value);
        setShown((before) => ({ path, value: result.value ?? lastValue(path, before), error: result.error }));
        await new Promise((resolve) => setTimeout(resolve, RELOAD_PAUSE_MS));
      }
      isReading = false;
    };
    reader.reload = () => void reload();
    void reload();
    const unsubscribe = onChange((events) => {
      if (events === null || events.some((event) => reader.dependsOn(event))) void reload();
    });
    return () => {
      // The server need not finish an answer that no component waits for.
      over.abort();
      stopWaiting();
      unsubscribe();
    };
  }, [path, reader]);

  return {
    value: lastValue(path, shown),
    error: shown.path === path ? shown.error : null,
    reload: () => reader.reload(),
  };
}

const readView = <T>(path: string, signal: AbortSignal): Promise<Pick<ReadResult<T>, 'value' | 'error'>> =>
  request(path, { signal })
    .then((response): Promise<T> => response.json())
    .then(
      (value) => ({ value, error: null }),
      (error: unknown) => ({ value: null, error: errorSentence(error) }),
    );

/** A value on the screen stays there, also after `lastValues` has dropped it. */
const lastValue = <T>(path: string, shown: ReadResult<T>): T | null =>
  (shown.path === path ? shown.value : null) ?? (lastValues.get(path) as T | undefined) ?? null;

function remember(path: string, value: unknown): void {
  lastValues.delete(path);
  lastValues.set(path, value);
  const [oldest] = lastValues.keys();
  if (lastValues.size > MAX_LAST_VALUES && oldest !== undefined) lastValues.delete(oldest);
}

export const errorSentence = (error: unknown): string =>
  error instanceof RequestError ? error.message : 'Unexpected error; reload the page.';
