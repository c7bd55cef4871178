import { signal } from '@preact/signals';
import { type ActionResult, act } from './api.ts';
import { errorSentence } from './view.ts';

type Notice = { sentence: string; isError: boolean };

/** What came of the last thing that somebody did. */
export const notice = signal<Notice | null>(null);

const FADE_AFTER_MS = 6_000;
let fading: ReturnType<typeof setTimeout>;

export function showNotice(sentence: string, isError = false): void {
  clearTimeout(fading);
  notice.value = { sentence, isError };
  // An error stays until somebody has dealt with it.
  if (!isError) fading = setTimeout(dismiss, FADE_AFTER_MS);
}

export function dismiss(): void {
  notice.value = null;
}

/** Does it, and says what came of it. Null where it was refused. */
export async function actAndNotify(name: string, input: object): Promise<ActionResult | null> {
  try {
    const done = await act(name, input);
    showNotice(done.message);
    return done;
  } catch (error) {
    showNotice(errorSentence(error), true);
    return null;
  }
}
