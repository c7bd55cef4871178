// The field types of YAML definitions, and how an empty value is dropped.
import * as z from 'zod';
import { textProblem, titleProblem } from '../../../domain/text/text.ts';

const checked = (findProblem: (text: string) => string | null) =>
  z.string().check((context) => {
    const problem = findProblem(context.value);
    if (problem !== null) context.issues.push({ code: 'custom', message: problem, input: context.value });
  });

export const text = checked((value) => textProblem(value));
export const title = checked(titleProblem);
export const texts = z.array(text);

/** The key of a feature or discipline: short, and safe in a path, a URI and a terminal. */
export const name = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u,
    'is not a name: letters, digits, spaces, dots, dashes, at most 100',
  );

/** Far below Number.MAX_SAFE_INTEGER, so that there is always a next id. */
export const id = z.int().min(1).max(1_000_000_000_000);
export const count = z.int().nonnegative();

export const time = z.string().transform((value, context) => {
  const milliseconds = Date.parse(value);
  if (!Number.isNaN(milliseconds)) return milliseconds;
  context.issues.push({
    code: 'custom',
    message: 'is not a time such as 2026-02-05T18:30:00Z',
    input: value,
  });
  return z.NEVER;
});

type WithoutNullish<Fields> = {
  [Name in keyof Fields as null extends Fields[Name]
    ? never
    : undefined extends Fields[Name]
      ? never
      : Name]: Fields[Name];
} & {
  [Name in keyof Fields as null extends Fields[Name]
    ? Name
    : undefined extends Fields[Name]
      ? Name
      : never]?: Exclude<Fields[Name], null | undefined>;
};

/** Drops keys that the file lists but leaves empty (`hints:`). */
export function withoutNullish<Fields extends object>(fields: Fields): WithoutNullish<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  ) as WithoutNullish<Fields>;
}
