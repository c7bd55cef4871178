import type { z } from 'zod';
import type { UiBackend } from './backend.ts';

/** What a person does on a page; answers with one sentence of what was done. */
export type Action = {
  name: string;
  input: z.ZodType;
  /** Whether what files say comes in before it, as before a command: a file that is wrong then refuses it. */
  needsFiles: boolean;
  run(backend: UiBackend, input: unknown): Promise<ActionResult>;
};

export type ActionResult = { message: string } & Record<string, unknown>;

type Definition<Input extends z.ZodType> = {
  name: string;
  input: Input;
  needsFiles?: boolean;
  run(backend: UiBackend, input: z.output<Input>): Promise<ActionResult>;
};

export const defineAction = <Input extends z.ZodType>({
  name,
  input,
  needsFiles = true,
  run,
}: Definition<Input>): Action => ({
  name,
  input,
  needsFiles,
  // The server calls it with what this very schema made.
  run: (backend, given) => run(backend, given as z.output<Input>),
});
