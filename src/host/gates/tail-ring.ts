/** The last bytes of a stream of any length, in a buffer of fixed size. */
export class TailRing {
  private readonly bytes: Buffer;
  private total = 0;

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  push(chunk: Buffer): void {
    const capacity = this.bytes.length;
    const skipped = Math.max(0, chunk.length - capacity);
    const at = (this.total + skipped) % capacity;
    const copied = chunk.copy(this.bytes, at, skipped);
    chunk.copy(this.bytes, 0, skipped + copied);
    this.total += chunk.length;
  }

  /** At most so many bytes, fewer where there are no more. */
  last(most: number): Buffer {
    const capacity = this.bytes.length;
    const length = Math.min(most, this.total, capacity);
    const begin = (this.total - length) % capacity;
    return Buffer.concat([this.bytes.subarray(begin), this.bytes.subarray(0, begin)]).subarray(0, length);
  }

  lastText(most: number): string {
    // The first character may be cut.
    return this.last(most)
      .toString('utf8')
      .replace(/^\uFFFD+/, '');
  }
}
