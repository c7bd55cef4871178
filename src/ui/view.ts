import type { z } from 'zod';
import type { UiBackend } from './backend.ts';

/** What a page reads: a value at an address, with nothing changed by looking. */
export type View = {
  /** With names for what varies: `/api/tasks/:id`. */
  path: string;
  /** Of the names in the path and of the query, all of them text. */
  input: z.ZodType;
  /** `closed`: nobody waits for the answer any more. */
  read(backend: UiBackend, input: unknown, closed: AbortSignal): Promise<unknown>;
};

type Definition<Input extends z.ZodType, Value> = {
  path: string;
  input: Input;
  read(backend: UiBackend, input: z.output<Input>, closed: AbortSignal): Promise<Value>;
};

export const defineView = <Input extends z.ZodType, Value>({
  path,
  input,
  read,
}: Definition<Input, Value>): View & { value?: Value } => ({
  path,
  input,
  // The server calls it with what this very schema made.
  read: (backend, given, closed) => read(backend, given as z.output<Input>, closed),
});
