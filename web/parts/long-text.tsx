import { useState } from 'preact/hooks';
import { Text } from './labels.tsx';

/** As much as is read before somebody decides to read on. */
const SHOWN = 1_200;

/** What somebody wrote, with its lines; of what is long the beginning, and the rest when it is asked for. */
export function LongText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > SHOWN * 1.5;
  return (
    <div class="said">
      <Text>{isCut ? `${text.slice(0, SHOWN)}…` : text}</Text>
      {isCut && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
      )}
    </div>
  );
}
