import { STATUS_SYMBOLS, type StatusWord } from '../../src/domain/status-word.ts';

/** By symbol and word; the colour only repeats it. */
export const Status = ({ word }: { word: StatusWord }) => (
  <span class={`status ${word}`}>
    <span aria-hidden="true">{STATUS_SYMBOLS[word]}</span> {word.replace('_', ' ')}
  </span>
);
