import { dismiss, notice } from '../notice.ts';
import { Text } from './labels.tsx';

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
