import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import { overlapFor, PieceMasker } from '../../domain/secrets/piece-masker.ts';
import type { Environment, Started } from '../processes/spawn.ts';
import type { BoundedLog } from './bounded-log.ts';

/** What is searched for signs of an empty pass: runners report at the end. */
const KEPT_BYTES = 256 * 1024;

export type GateOutput = {
  /** Its last part. */
  text: string;
  /** Whether the expected text was anywhere in it, also in what the log dropped. */
  hasExpected: boolean;
};

export async function readGateOutput(
  { stdout, stderr, drained }: Pick<Started, 'stdout' | 'stderr' | 'drained'>,
  log: BoundedLog,
  { env, expect }: { env: Environment; expect: string | null },
): Promise<GateOutput> {
  const expected = new TextSearch(expect ?? '');
  const write = (text: string): void => {
    log.write(text);
    expected.push(text);
  };
  const mask = maskSecrets(env);
  const maskers = [stdout, stderr].map((stream) => {
    const masker = new PieceMasker(mask, overlapFor(env));
    stream.setEncoding('utf8').on('data', (part: string) => write(masker.push(part)));
    return masker;
  });
  await drained;
  for (const masker of maskers) write(masker.end());
  return { text: log.lastText(KEPT_BYTES), hasExpected: expected.isFound };
}

/** Looks for a text in what arrives in pieces, also across their borders. */
class TextSearch {
  isFound: boolean;
  private readonly wanted: string;
  private end = '';

  constructor(wanted: string) {
    this.wanted = wanted;
    this.isFound = wanted === '';
  }

  push(text: string): void {
    if (this.isFound) return;
    const all = this.end + text;
    this.isFound = all.includes(this.wanted);
    this.end = all.slice(Math.max(0, all.length - this.wanted.length + 1));
  }
}
