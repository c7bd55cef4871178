import { signal } from '@preact/signals';
import { act, type Done } from './api.ts';
import { sentenceOf } from './view.ts';

type Notice = { sentence: string; isError: boolean };

/** What came of the last thing that somebody did. */
export const notice = signal<Notice | null>(null);

const GONE_AFTER_MS = 6_000;
let fading: ReturnType<typeof setTimeout>;

export function say(sentence: string, isError = false): void {
  clearTimeout(fading);
  notice.value = { sentence, isError };
  // An error stays until somebody has dealt with it.
  if (!isError) fading = setTimeout(dismiss, GONE_AFTER_MS);
}

export function dismiss(): void {
  notice.value = null;
}

/** Does it, and says what came of it. Null where it was refused. */
export async function actAndSay(name: string, input: object): Promise<Done | null> {
  try {
    const done = await act(name, input);
    say(done.message);
    return done;
  } catch (error) {
    say(sentenceOf(error), true);
    return null;
  }
}
