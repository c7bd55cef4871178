// The only place that turns a thrown error into the text that a client reads.
import { Refusal } from '../domain/refusal.ts';
import { visible } from '../domain/text/text.ts';
import type { Binding } from './binding.ts';

export function explain(binding: Binding, error: unknown): string {
  if (error instanceof Refusal) return binding.mask(visible(error.message));
  binding.report(error);
  if (error instanceof Error && 'code' in error && 'syscall' in error)
    return `A file that Ralph needs cannot be used (${String(error.code)}); check the disk and the permissions, then try again.`;
  return 'Ralph failed in a way it should not have; the output of Ralph says how. Look at ralph://queue before you try again.';
}
