// Stores what an agent prints, and hands it line by line to its adapter, in bounded memory.
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';
import { maskJson } from '../../domain/secrets/mask-secrets.ts';
import { PieceMasker } from '../../domain/secrets/piece-masker.ts';
import { plainOutput } from '../../domain/sessions/gate-output.ts';
import { putBackIfRemoved } from '../../files/write-file.ts';
import { BoundedLog, unwritable } from '../../host/gates/bounded-log.ts';
import type { StartedProcess } from '../../host/processes/spawn.ts';
import { LineReader, type LongLine, type Mask } from './line-reader.ts';

const MEGABYTE = 1024 * 1024;

/**
 * `lineCharacters`: Claude Code has printed result lines of 50 MB; the longest string of Node has 512 MB.
 * `streamBytes`: Ralph parses what comes after, but does not store it.
 */
export const STREAM_LIMITS = {
  lineCharacters: 64 * MEGABYTE,
  streamBytes: 2048 * MEGABYTE,
  stderrBytes: 16 * MEGABYTE,
};

/** How much of a failed agent's standard error Ralph shows. */
const [LAST_LINES, LAST_CHARACTERS, LAST_BYTES] = [3, 300, 4096];

type StreamHandler = {
  /** Called for every output, even a part of a line. */
  onOutput: () => void;
  onLine: (line: string) => void;
  /** A line of standard error, without the end of a long one. */
  onErrorLine?: ((line: string) => void) | undefined;
  /** Called once, when Ralph first fails to store a part. */
  onFailure: (failure: MachineFailed) => void;
};

export class AgentStream {
  private readonly path: string;
  private readonly mask: Mask;
  private readonly limits: typeof STREAM_LIMITS;
  private readonly file: number;
  private readonly stderr: BoundedLog;
  private stored = 0;
  private dropped = 0;
  private failure: MachineFailed | null = null;

  /** Throws if the files cannot be opened: Ralph starts no agent whose output would be lost. */
  constructor(path: string, mask: Mask, limits = STREAM_LIMITS) {
    this.path = path;
    this.mask = mask;
    this.limits = limits;
    this.stderr = new BoundedLog(path.replace(/\.jsonl$/, '.stderr'), limits.stderrBytes);
    try {
      mkdirSync(dirname(path), { recursive: true });
      // Open for reading as well: if the file is removed meanwhile, Ralph copies its content back.
      this.file = openSync(path, 'w+', 0o600);
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Settles when no more output of this process can come. Never rejects: the caller may not await it yet. */
  async keep({ stdout, stderr, drained }: StartedProcess, handler: StreamHandler): Promise<void> {
    const { mask, overlap } = this.mask;
    const lines = new LineReader(
      {
        // Masking keeps the line valid JSON. The adapter gets the masked line, so it reports no secret.
        onLine: (line) => {
          const masked = maskJson(line, mask);
          this.store(masked, handler);
          handler.onLine(masked);
        },
        // Not parsed: a part of a JSON line cannot be parsed.
        onLongLine: (line) => this.store(cutNote(line), handler),
      },
      this.mask,
      this.limits.lineCharacters,
    );
    stdout.setEncoding('utf8').on('data', (text: string) => {
      handler.onOutput();
      lines.push(text);
    });
    const errors = new PieceMasker(mask, overlap);
    const errorLines = splitLines(handler.onErrorLine);
    stderr.setEncoding('utf8').on('data', (text: string) => {
      const masked = errors.push(text);
      this.stderr.write(masked);
      errorLines(masked);
    });
    await drained;
    lines.end();
    this.stderr.write(errors.end());
  }

  /** The end of its standard error. */
  lastText(): string {
    return this.stderr.lastText(LAST_BYTES);
  }

  /** The last lines of its standard error, joined to one; null if it is empty. */
  lastErrors(): string | null {
    const lines = plainOutput(this.stderr.lastText(LAST_BYTES)).split('\n');
    const nonEmpty = lines.map((line) => line.trim()).filter((line) => line !== '');
    return nonEmpty.length === 0 ? null : nonEmpty.slice(-LAST_LINES).join(' / ').slice(-LAST_CHARACTERS);
  }

  private store(line: string, handler: StreamHandler): void {
    if (this.failure !== null) return;
    const bytes = Buffer.from(`${line}\n`);
    // Store nothing after the first gap: a reader would take the next line for the continuation.
    if (this.dropped > 0 || this.stored + bytes.length > this.limits.streamBytes) {
      this.dropped += bytes.length;
      return;
    }
    this.attempt(() => writeFileSync(this.file, bytes), handler);
    this.stored += bytes.length;
  }

  close(handler: Pick<StreamHandler, 'onFailure'>): void {
    const note = `Ralph stored the first ${this.stored} bytes of this stream and dropped the other ${this.dropped}.`;
    if (this.dropped > 0) this.attempt(() => writeFileSync(this.file, `${noteLine(note)}\n`), handler);
    this.attempt(() => putBackIfRemoved(this.path, this.file), handler);
    this.attempt(() => closeSync(this.file), handler);
    this.attempt(() => this.stderr.close(), handler);
  }

  // Synchronous: writes that wait for a slow disk would pile up in memory without a bound.
  private attempt(write: () => void, { onFailure }: Pick<StreamHandler, 'onFailure'>): void {
    try {
      write();
    } catch (error) {
      if (this.failure !== null) return;
      this.failure = error instanceof MachineFailed ? error : unwritable(this.path, error);
      onFailure(this.failure);
    }
  }
}

const MAX_ERROR_LINE = 2_000;

/** Lines of a client's standard error are short; a longer one is cut. */
function splitLines(onLine: ((line: string) => void) | undefined): (text: string) => void {
  if (onLine === undefined) return () => {};
  let rest = '';
  return (text) => {
    const parts = `${rest}${text}`.split('\n');
    rest = (parts.pop() ?? '').slice(0, MAX_ERROR_LINE);
    for (const part of parts) onLine(part.slice(0, MAX_ERROR_LINE));
  };
}

/** In the form of Claude Code's own notes, so that every reader of streams can show it. */
export const noteLine = (text: string, more: object = {}): string =>
  JSON.stringify({ type: 'system', subtype: 'ralph_cut', text, ...more });

const cutNote = ({ head, tail, characters }: LongLine): string =>
  noteLine(`Ralph dropped a line of ${characters} characters but for its two ends.`, { head, tail });
