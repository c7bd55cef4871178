// Turns zod's issues into messages for the author of a YAML file or the caller of a tool.
import type * as z from 'zod';
import { didYouMean } from '../../domain/text/did-you-mean.ts';

export type Problem = { path: readonly PropertyKey[]; message: string; mistyped: boolean };

export function explainIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType, whole = 'the file'): Problem {
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const knownKeys = keysAt(schema, issue.path);
    const message = `unknown key "${key}"${didYouMean(key, knownKeys) || `; known are ${knownKeys.join(', ')}.`}`;
    return { path: [...issue.path, key], message, mistyped: true };
  }
  const name = issue.path.findLast((key) => typeof key === 'string');
  const subject = name === undefined ? whole : `"${String(name)}"`;
  return { path: issue.path, message: `${subject} ${complaint(issue)}`, mistyped: false };
}

function complaint(issue: Exclude<z.core.$ZodIssue, { code: 'unrecognized_keys' }>): string {
  switch (issue.code) {
    case 'invalid_value':
      if (issue.input === undefined) return `is missing: one of ${issue.values.join(', ')}.`;
      return `is ${displayValue(issue.input)}, not one of ${issue.values.join(', ')}${didYouMean(String(issue.input), issue.values.map(String)) || '.'}`;
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing.'
        : `is ${displayValue(issue.input)}, expected ${EXPECTED[issue.expected] ?? `a ${issue.expected}`}.`;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array'
        ? 'is empty.'
        : `is ${displayValue(issue.input)}, too small.`;
    case 'too_big':
      return `is ${displayValue(issue.input)}, too large.`;
    case 'invalid_format':
      return issue.format === 'url' ? `is ${displayValue(issue.input)}, not a URL.` : `${issue.message}.`;
    default:
      return `${issue.message}.`;
  }
}

const EXPECTED: Record<string, string> = {
  array: 'a list',
  object: 'a map',
  record: 'a map',
  int: 'a whole number',
  boolean: 'true or false',
  string: 'text (put it in quotes)',
};

function displayValue(value: unknown): string {
  const text =
    typeof value === 'object' && value !== null
      ? Array.isArray(value)
        ? 'a list'
        : 'a map'
      : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Where a schema holds other schemas: in a wrapper (optional, default), after a short form, in a list, a map or an object. */
type SchemaParts = {
  innerType?: z.core.$ZodType;
  out?: z.core.$ZodType;
  element?: z.core.$ZodType;
  valueType?: z.core.$ZodType;
  shape?: Readonly<Record<string, z.core.$ZodType>>;
};

/** The keys that the schema accepts at the path. */
function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const [key, ...rest] = path;
  const def = schema._zod.def as SchemaParts;
  const inner = def.innerType ?? def.out;
  if (inner !== undefined) return keysAt(inner, path);
  if (key === undefined) return Object.keys(def.shape ?? {});
  const next = def.shape?.[String(key)] ?? def.element ?? def.valueType;
  return next === undefined ? [] : keysAt(next, rest);
}
