import type { z } from 'zod';
import type { UiOffice } from './office.ts';

/** What a person does on a page; answers with one sentence of what was done. */
export type Action = {
  name: string;
  input: z.ZodType;
  run(office: UiOffice, input: unknown): Promise<Done>;
};

export type Done = { message: string } & Record<string, unknown>;

type Definition<Input extends z.ZodType> = {
  name: string;
  input: Input;
  run(office: UiOffice, input: z.output<Input>): Promise<Done>;
};

export const defineAction = <Input extends z.ZodType>({ name, input, run }: Definition<Input>): Action => ({
  name,
  input,
  // The server calls it with what this very schema made.
  run: (office, given) => run(office, given as z.output<Input>),
});
