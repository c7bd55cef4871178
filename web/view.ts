import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { Told } from '../src/ui/live.ts';
import { Refused, read } from './api.ts';
import { onChange } from './live.ts';

/** How many of those that somebody waits for have nothing to show yet. */
export const awaited = signal(0);

export type Shown<T> = {
  /** Null until it was read for the first time; after that what was read last, whatever happens. */
  value: T | null;
  /** Why it could not be read, in a sentence. */
  error: string | null;
  reload(): void;
};

/** What was shown last is shown again at once, while it is read anew. */
const known = new Map<string, unknown>();
const MAX_KNOWN = 50;

/** Changes come in bursts, and nobody sees more than a few pictures a second. */
const AT_MOST_EVERY_MS = 250;

/** The value at an address of the server, read anew when something happens that it depends on. */
export function useView<T>(path: string, dependsOn: (event: Told) => boolean = () => true): Shown<T> {
  const [shown, setShown] = useState<{ path: string; value: T | null; error: string | null }>({
    path,
    value: (known.get(path) as T | undefined) ?? null,
    error: null,
  });
  const [reader] = useState(() => ({ reload: () => {}, dependsOn }));
  reader.dependsOn = dependsOn;

  useEffect(() => {
    let isOver = false;
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
      while (isWanted && !isOver) {
        isWanted = false;
        const result = await read<T>(path).then(
          (value) => ({ value, error: null }),
          (error: unknown) => ({ value: null, error: sentenceOf(error) }),
        );
        if (isOver) return;
        arrived();
        if (result.value !== null) remember(path, result.value);
        setShown({
          path,
          value: result.value ?? (known.get(path) as T | undefined) ?? null,
          error: result.error,
        });
        await new Promise((over) => setTimeout(over, AT_MOST_EVERY_MS));
      }
      isReading = false;
    };
    reader.reload = () => void reload();
    void reload();
    const forget = onChange((events) => {
      if (events === null || events.some((event) => reader.dependsOn(event))) void reload();
    });
    return () => {
      isOver = true;
      arrived();
      forget();
    };
  }, [path, reader]);

  const isCurrent = shown.path === path;
  return {
    value: isCurrent ? shown.value : ((known.get(path) as T | undefined) ?? null),
    error: isCurrent ? shown.error : null,
    reload: () => reader.reload(),
  };
}

function remember(path: string, value: unknown): void {
  known.delete(path);
  known.set(path, value);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}

export const sentenceOf = (error: unknown): string =>
  error instanceof Refused ? error.message : 'Something that should not happen; reload the page.';
