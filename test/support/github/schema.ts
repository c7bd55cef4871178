// What GitHub publishes of its API, trimmed by `npm run github-schema`: which requests it knows, and what it answers.
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import type { Schema, Trimmed, TrimmedOperation } from '../../../scripts/github-schema/trim.ts';

const FILE = new URL('../../fixtures/github/schema.json', import.meta.url);

let loaded: Trimmed | null = null;
const published = (): Trimmed => {
  loaded ??= JSON.parse(readFileSync(FILE, 'utf8')) as Trimmed;
  return loaded;
};

/** `name` is that of the published operation, such as `GET /repos/{owner}/{repo}`. */
export type Matched = { name: string; operation: TrimmedOperation; path: Record<string, string> };

export function matchOperation(method: string, path: string): Matched | null {
  for (const [name, operation] of Object.entries(published().operations)) {
    const [verb, template = ''] = name.split(' ');
    if (verb !== method) continue;
    // The name of a branch holds slashes.
    const pattern = template.replace(/\{(\w+)\}/g, (_, key) => (key === 'ref' ? '(.+)' : '([^/]+)'));
    const values = new RegExp(`^${pattern}$`).exec(path)?.slice(1);
    const keys = [...template.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => key);
    if (values === undefined) continue;
    const pairs = keys.map((key, index) => [key, decodeURIComponent(values[index] ?? '')] as const);
    return { name, operation, path: Object.fromEntries(pairs) };
  }
  return null;
}

/** What GitHub does not know of this request; empty if it is as published. */
export function requestProblems({ name, operation, path }: Matched, query: object, body: unknown): string[] {
  return [
    ...problems(`path of ${name}`, closed(operation.path), { ...path }, true),
    ...problems(`query of ${name}`, closed(operation.query), { ...query }, true),
    ...(operation.body === null
      ? body === null
        ? []
        : [`${name} takes no body`]
      : problems(`body of ${name}`, operation.body, body ?? {})),
  ];
}

/** Any request may be answered with these, so the description does not repeat them. */
const ANYWHERE = new Set([301, 307, 401, 403, 404, 429]);

export function answerProblems({ name, operation }: Matched, status: number, value: unknown): string[] {
  const schema = operation.answers[status];
  if (schema === undefined) return ANYWHERE.has(status) ? [] : [`${name} never answers ${status}`];
  if (schema === null) return value === null ? [] : [`${name} answers ${status} without a body`];
  return problems(`answer ${status} of ${name}`, schema, value);
}

export function findSchema(ref: string): Schema {
  return published().schemas[ref.split('/').at(-1) ?? ''] ?? {};
}

const closed = (properties: Record<string, Schema>): Schema => ({
  type: 'object',
  properties,
  additionalProperties: false,
});

const formats = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  uri: (text: string): boolean => URL.canParse(text),
};
// Without a check of the schemas themselves, and each compiled once: this is most of what the server costs.
const options = { formats, strict: false, validateSchema: false, inlineRefs: false, logger: false } as const;
const open = (coerceTypes: boolean): Ajv =>
  new Ajv({ ...options, coerceTypes }).addSchema({ $id: 'github', schemas: published().schemas });
const ajvs = new Map<boolean, Ajv>();
const validators = new Map<string, ValidateFunction>();

/** `isText`: numbers and truth values are written as text, as in an address. */
function problems(what: string, schema: Schema, value: unknown, isText = false): string[] {
  const ajv = ajvs.get(isText) ?? open(isText);
  ajvs.set(isText, ajv);
  const validate = validators.get(what) ?? ajv.compile(schema);
  validators.set(what, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${what}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
