// Masks text that arrives in pieces, in bounded memory, without missing a secret that is cut in two.

import { fileSecrets } from './file-secrets.ts';

type Mask = (text: string) => string;

/** A very long line is masked in pieces of this length. */
const WINDOW = 1024 * 1024;
/** Long enough for every token and key; values of the environment may be longer. */
const SHORTEST_OVERLAP = 64 * 1024;

export class PieceMasker {
  private readonly mask: Mask;
  private readonly overlap: number;
  private readonly window: number;
  private rest = '';

  /** `overlap`: the length of the longest secret. */
  constructor(mask: Mask, overlap: number, window = WINDOW) {
    this.mask = mask;
    this.overlap = overlap;
    this.window = window;
  }

  /** Returns the masked text that is complete by now: whole lines, or a piece of a very long line. */
  push(text: string): string {
    const all = this.rest + text;
    const lines = all.lastIndexOf('\n') + 1;
    const end = Math.min(lines, this.openKey(all.slice(0, lines)));
    const finished = end === 0 ? '' : this.mask(all.slice(0, end));
    this.rest = all.slice(end);
    return this.rest.length < this.window + this.overlap ? finished : finished + this.cutPiece();
  }

  /** The start of a private key that has not ended yet. Its lines are a secret only together. */
  private openKey(text: string): number {
    const at = text.lastIndexOf('-----BEGIN ');
    const isOpen = at >= 0 && text.length - at < this.overlap && !text.includes('-----END ', at);
    return isOpen ? at : text.length;
  }

  end(): string {
    const last = this.mask(this.rest);
    this.rest = '';
    return last;
  }

  /**
   * The end of the piece stays unmasked in `rest`, because a secret may begin there. If the mask changed the end, only the text
   * after the last secret stays. Otherwise a secret could be masked in one piece and remain in the next.
   */
  private cutPiece(): string {
    const masked = this.mask(this.rest);
    const keptLength = commonEnd(masked, this.rest, this.overlap);
    this.rest = this.rest.slice(this.rest.length - keptLength);
    return masked.slice(0, masked.length - keptLength);
  }
}

/** Longer than any value of the environment or of a file, even in its base64 form. */
export const overlapFor = (env: Readonly<Record<string, string | undefined>>): number =>
  [...Object.values(env), ...fileSecrets(env)].reduce(
    (longest, value = '') => Math.max(longest, value.length * 2),
    SHORTEST_OVERLAP,
  );

function commonEnd(one: string, other: string, most: number): number {
  let length = 0;
  while (
    length < most &&
    length < one.length &&
    one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)
  )
    length += 1;
  return length;
}
