import { maskSecrets } from '../../domain/secrets/mask-secrets.ts';
import { overlapFor, PieceMasker } from '../../domain/secrets/piece-masker.ts';
import type { Environment, StartedProcess } from '../processes/spawn.ts';
import type { BoundedLog } from './bounded-log.ts';

/** How much Ralph searches for signs of an empty test run: runners report at the end. */
const SEARCHED_BYTES = 256 * 1024;

export type GateOutput = {
  /** Its last part. */
  text: string;
  /** Whether the expected text was anywhere in the output, even in a part that the log dropped. */
  hasExpected: boolean;
};

export async function readGateOutput(
  { stdout, stderr, drained }: Pick<StartedProcess, 'stdout' | 'stderr' | 'drained'>,
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
  return { text: log.lastText(SEARCHED_BYTES), hasExpected: expected.isFound };
}

/** Looks for a text in input that arrives in pieces, also across their borders. */
class TextSearch {
  isFound: boolean;
  private readonly text: string;
  private end = '';

  constructor(text: string) {
    this.text = text;
    this.isFound = text === '';
  }

  push(text: string): void {
    if (this.isFound) return;
    const all = this.end + text;
    this.isFound = all.includes(this.text);
    this.end = all.slice(Math.max(0, all.length - this.text.length + 1));
  }
}
