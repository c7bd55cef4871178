import type { z } from 'zod';
import type { UiBackend } from './backend.ts';

/** A change that a person makes on a page. It answers with one sentence about what it did. */
export type Action = {
  name: string;
  input: z.ZodType;
  /** True: definition files are applied first, as before a command, and a faulty file refuses the action. */
  needsFiles: boolean;
  /** True: it changes by which rules agents work, so a script that found the token must not do it alone. */
  needsCode: boolean;
  run(backend: UiBackend, input: unknown): Promise<ActionResult>;
};

export type ActionResult = { message: string } & Record<string, unknown>;

type Definition<Input extends z.ZodType> = {
  name: string;
  input: Input;
  needsFiles?: boolean;
  needsCode?: boolean;
  run(backend: UiBackend, input: z.output<Input>): Promise<ActionResult>;
};

export const defineAction = <Input extends z.ZodType>({
  name,
  input,
  needsFiles = true,
  needsCode = false,
  run,
}: Definition<Input>): Action => ({
  name,
  input,
  needsFiles,
  needsCode,
  // The server passes only what this schema has parsed.
  run: (backend, parsed) => run(backend, parsed as z.output<Input>),
});
