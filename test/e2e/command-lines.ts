import { readdirSync, readFileSync } from 'node:fs';

/** Of all processes that this one can see. */
export const commandLines = (): { pid: number; line: string }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), line: lineOf(pid) }));

function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
