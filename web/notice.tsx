import { signal } from '@preact/signals';
import { type ActionResult, act } from './api.ts';
import { Text } from './parts/labels.tsx';
import { errorSentence } from './view.ts';

type Notice = { sentence: string; isError: boolean };

/** The result of the person's last action. */
export const notice = signal<Notice | null>(null);

const FADE_AFTER_MS = 6_000;
let fading: ReturnType<typeof setTimeout>;

export function showNotice(sentence: string, isError = false): void {
  clearTimeout(fading);
  notice.value = { sentence, isError };
  // An error stays until the person dismisses it or acts again.
  if (!isError) fading = setTimeout(dismiss, FADE_AFTER_MS);
}

export function dismiss(): void {
  notice.value = null;
}

/** Runs an action and shows its result as a notice. Null where the server refused it. */
export async function actAndNotify(
  name: string,
  input: object,
  code: string | null = null,
): Promise<ActionResult | null> {
  try {
    const done = await act(name, input, code);
    showNotice(done.message);
    return done;
  } catch (error) {
    showNotice(errorSentence(error), true);
    return null;
  }
}

export function NoticeBar() {
  const shown = notice.value;
  return (
    <div class="notices" aria-live="polite">
      {shown !== null && (
        <p class={shown.isError ? 'notice bad' : 'notice'}>
          <Text>{shown.sentence}</Text>
          <button type="button" class="quiet" aria-label="Dismiss" onClick={dismiss}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}
