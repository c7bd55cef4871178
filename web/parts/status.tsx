import { STATE_SYMBOLS, type StateWord } from '../../src/domain/tasks/status-word.ts';

/** By symbol and word; the colour only repeats it. */
export const Status = ({ word }: { word: StateWord }) => (
  <span class={`status ${word}`}>
    <span aria-hidden="true">{STATE_SYMBOLS[word]}</span> {word.replace('_', ' ')}
  </span>
);
