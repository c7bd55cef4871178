// What an agent prints: stored for whoever looks back, and handed line by line to its adapter, in bounded memory.
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MachineFailed } from '../../domain/refusal.ts';
import { maskJson } from '../../domain/secrets/mask-secrets.ts';
import { PieceMasker } from '../../domain/secrets/piece-masker.ts';
import { plainOutput } from '../../domain/sessions/gate-output.ts';
import { putBackIfRemoved } from '../../files/write-file.ts';
import { BoundedLog, unwritable } from '../../host/gates/bounded-log.ts';
import type { Started } from '../../host/processes/spawn.ts';
import { LineReader, type LongLine, type Mask } from './line-reader.ts';

const MEGABYTE = 1024 * 1024;

/**
 * `lineCharacters`: Claude Code has printed lines of 50 MB, whose result counts; the longest string of Node has 512 MB.
 * `streamBytes`: what comes after is understood and not stored.
 */
export const STREAM_LIMITS = {
  lineCharacters: 64 * MEGABYTE,
  streamBytes: 2048 * MEGABYTE,
  stderrBytes: 16 * MEGABYTE,
};

/** What a person is shown of an agent that failed. */
const [LAST_LINES, LAST_CHARACTERS, LAST_BYTES] = [3, 300, 4096];

export type StreamHandler = {
  /** Something came, be it a part of a line. */
  onOutput: () => void;
  onLine: (line: string) => void;
  /** Called once, at the first part that could not be stored. */
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

  /** Throws where the files cannot be opened: no agent is started whose words would be lost. */
  constructor(path: string, mask: Mask, limits = STREAM_LIMITS) {
    this.path = path;
    this.mask = mask;
    this.limits = limits;
    this.stderr = new BoundedLog(path.replace(/\.jsonl$/, '.stderr'), limits.stderrBytes);
    try {
      mkdirSync(dirname(path), { recursive: true });
      // Readable as well, should the file be removed while it is written.
      this.file = openSync(path, 'w+', 0o600);
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Settles when nothing more can come. Never rejects: nobody may be waiting for it yet. */
  async keep({ stdout, stderr, drained }: Started, handler: StreamHandler): Promise<void> {
    const { mask, overlap } = this.mask;
    const lines = new LineReader(
      {
        // It stays JSON, whatever is masked in it; and what is not stored is not heard either.
        onLine: (line) => {
          const masked = maskJson(line, mask);
          this.store(masked, handler);
          handler.onLine(masked);
        },
        // Not parsed: what it says could only be understood as a whole.
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
    stderr.setEncoding('utf8').on('data', (text: string) => this.stderr.write(errors.push(text)));
    await drained;
    lines.end();
    this.stderr.write(errors.end());
    this.close(handler);
  }

  /** The last lines of its standard error, as one; null where there is none. */
  lastErrors(): string | null {
    const lines = plainOutput(this.stderr.lastText(LAST_BYTES)).split('\n');
    const said = lines.map((line) => line.trim()).filter((line) => line !== '');
    return said.length === 0 ? null : said.slice(-LAST_LINES).join(' / ').slice(-LAST_CHARACTERS);
  }

  private store(line: string, handler: StreamHandler): void {
    if (this.failure !== null) return;
    const bytes = Buffer.from(`${line}\n`);
    // Nothing after the first gap: a reader must not take what follows for the next thing that was said.
    if (this.dropped > 0 || this.stored + bytes.length > this.limits.streamBytes) {
      this.dropped += bytes.length;
      return;
    }
    this.attempt(() => writeFileSync(this.file, bytes), handler);
    this.stored += bytes.length;
  }

  private close(handler: StreamHandler): void {
    const note = `Ralph stored the first ${this.stored} bytes of this stream and dropped the other ${this.dropped}.`;
    if (this.dropped > 0) this.attempt(() => writeFileSync(this.file, `${noteLine(note)}\n`), handler);
    this.attempt(() => putBackIfRemoved(this.path, this.file), handler);
    this.attempt(() => closeSync(this.file), handler);
    this.attempt(() => this.stderr.close(), handler);
  }

  // Synchronous: writes that wait for a slow disk would pile up in memory without a bound.
  private attempt(write: () => void, { onFailure }: StreamHandler): void {
    try {
      write();
    } catch (error) {
      if (this.failure !== null) return;
      this.failure = error instanceof MachineFailed ? error : unwritable(this.path, error);
      onFailure(this.failure);
    }
  }
}

/** In the form of Claude Code's own notes, so that every reader of streams can show it. */
const noteLine = (text: string, more: object = {}): string =>
  JSON.stringify({ type: 'system', subtype: 'ralph_cut', text, ...more });

const cutNote = ({ head, tail, characters }: LongLine): string =>
  noteLine(`Ralph dropped a line of ${characters} characters but for its two ends.`, { head, tail });
