// Fills in what GitHub's schema requires and a test does not care for, so that every answer is whole.
import type { Schema } from '../../../scripts/github-schema/trim.ts';
import { findSchema } from './schema.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function complete(schema: Schema, value: unknown): unknown {
  if (typeof schema['$ref'] === 'string') return complete(findSchema(schema['$ref']), value);
  if (Array.isArray(schema['allOf']))
    return (schema['allOf'] as Schema[]).reduce((whole, part) => complete(part, whole), value);
  if (Array.isArray(schema['anyOf']) && schema['properties'] === undefined)
    return completeOneOf(schema['anyOf'] as Schema[], value);
  if (schema['type'] === 'array')
    return Array.isArray(value)
      ? value.map((one) => complete(schema['items'] as Schema, one))
      : (value ?? []);
  if (schema['type'] === 'object' || schema['properties'] !== undefined)
    return value === undefined || isObject(value) ? completeObject(schema, value ?? {}) : value;
  return value === undefined ? sample(schema) : value;
}

function completeOneOf(schemas: readonly Schema[], value: unknown): unknown {
  if (value === null) return null;
  if (value === undefined)
    return schemas.some(({ type }) => type === 'null') ? null : complete(schemas[0] ?? {}, value);
  const kind = Array.isArray(value) ? 'array' : typeof value;
  const resolved = schemas.map((one) => (typeof one['$ref'] === 'string' ? findSchema(one['$ref']) : one));
  const fitting = resolved.find(({ type, anyOf }) => type === kind || anyOf !== undefined);
  return fitting === undefined ? value : complete(fitting, value);
}

function completeObject(schema: Schema, value: Json): Json {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const required = (schema['required'] ?? []) as string[];
  const whole: Record<string, unknown> = { ...value };
  for (const [key, part] of Object.entries(properties))
    if (value[key] !== undefined || required.includes(key)) whole[key] = complete(part, value[key]);
  return whole;
}

function sample({ type, format, enum: values, minLength }: Schema): unknown {
  if (Array.isArray(values)) return values[0];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return false;
  if (format === 'uri') return 'https://github.example/x';
  if (format === 'date-time') return '2026-01-05T10:00:00Z';
  return typeof minLength === 'number' ? '0'.repeat(minLength) : 'x';
}
