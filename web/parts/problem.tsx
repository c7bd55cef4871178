import { Text } from './text.tsx';

/** Why something could not be shown or done, in a sentence; nothing where there is none. */
export const Problem = ({ sentence }: { sentence: string | null }) =>
  sentence === null ? null : (
    <p class="error" role="alert">
      <Text>{sentence}</Text>
    </p>
  );
