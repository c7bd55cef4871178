import type { z } from 'zod';
import type { UiBackend } from './backend.ts';

/** What a page reads: a value at an address. Reading changes nothing. */
export type View = {
  /** With names for its variable parts: `/api/tasks/:id`. */
  path: string;
  /** The names in the path and the query, all of them text. */
  input: z.ZodType;
  /** `closed` aborts when the page no longer waits for the answer. */
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
  // The server passes only what this schema has parsed.
  read: (backend, parsed, closed) => read(backend, parsed as z.output<Input>, closed),
});
