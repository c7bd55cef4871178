// Takes some operations out of an OpenAPI 3.0 description, as plain JSON Schema: without prose, and with objects that are closed, so
// that a field that GitHub does not have is an error.
export type Schema = { [key: string]: unknown };

type Parameter = { name: string; in: string; required?: boolean; schema: Schema };
type Content = { content?: Record<string, { schema: Schema }> };
type Operation = {
  parameters?: (Parameter | Reference)[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content | Reference>;
};
type Reference = { $ref: string };
export type Description = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

export type TrimmedOperation = {
  path: Record<string, Schema>;
  query: Record<string, Schema>;
  body: Schema | null;
  /** By status; null for an answer without JSON. */
  answers: Record<string, Schema | null>;
};
export type Trimmed = { operations: Record<string, TrimmedOperation>; schemas: Record<string, Schema> };

const PROSE = new Set([
  'description',
  'example',
  'examples',
  'title',
  'deprecated',
  'externalDocs',
  'default',
]);

export function trimDescription(description: Description, names: readonly string[]): Trimmed {
  const schemas: Record<string, Schema> = {};

  const resolve = <T>(value: T | Reference): T => {
    if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T;
    const [, , kind = '', name = ''] = value.$ref.split('/');
    return description.components[kind]?.[name] as T;
  };

  const reference = (ref: string): string => {
    const name = ref.split('/').at(-1) ?? '';
    if (schemas[name] === undefined) {
      // Before its parts: a schema may hold itself.
      schemas[name] = {};
      schemas[name] = plain(description.components['schemas']?.[name] as Schema);
    }
    return `github#/schemas/${name}`;
  };

  const trim = (schema: Schema, isPart: boolean): Schema => {
    if (typeof schema['$ref'] === 'string') return { $ref: reference(schema['$ref']) };
    const trimmed: Schema = {};
    for (const [key, value] of Object.entries(schema)) {
      if (PROSE.has(key) || key.startsWith('x-') || key === 'nullable') continue;
      if (key === 'properties') trimmed[key] = mapValues(value as Record<string, Schema>, plain);
      else if (key === 'anyOf' || key === 'oneOf') trimmed['anyOf'] = (value as Schema[]).map(plain);
      else if (key === 'allOf') trimmed[key] = (value as Schema[]).map((part) => trim(part, true));
      else if (key === 'items' || (key === 'additionalProperties' && typeof value === 'object'))
        trimmed[key] = plain(value as Schema);
      else trimmed[key] = value;
    }
    // Parts of one object do not know each other's properties. `anyOf` beside properties only says which of them are needed.
    if (trimmed['properties'] !== undefined && !isPart) trimmed['additionalProperties'] ??= false;
    if (trimmed['properties'] !== undefined && Array.isArray(trimmed['anyOf']))
      trimmed['anyOf'] = (trimmed['anyOf'] as Schema[]).map((part) => ({
        ...part,
        additionalProperties: true,
      }));
    return trimmed;
  };

  const plain = (schema: Schema): Schema => {
    const trimmed = trim(schema, false);
    return schema['nullable'] === true ? { anyOf: [trimmed, { type: 'null' }] } : trimmed;
  };

  const trimOperation = (operation: Operation): TrimmedOperation => {
    const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(one));
    const pick = (place: string): Record<string, Schema> =>
      Object.fromEntries(
        parameters.filter((one) => one.in === place).map(({ name, schema }) => [name, plain(schema)]),
      );
    const answers = Object.entries(operation.responses).map(([status, response]) => {
      const schema = resolve<Content>(response).content?.['application/json']?.schema;
      return [status, schema === undefined ? null : plain(schema)] as const;
    });
    const body = operation.requestBody?.content?.['application/json']?.schema;
    return {
      path: pick('path'),
      query: pick('query'),
      body: body === undefined ? null : plain(body),
      answers: Object.fromEntries(answers),
    };
  };

  const operations = names.map((name) => {
    const [method = '', path = ''] = name.split(' ');
    const operation = description.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`The description has no ${name}.`);
    return [name, trimOperation(operation)] as const;
  });
  return { operations: Object.fromEntries(operations), schemas };
}

const mapValues = (values: Record<string, Schema>, map: (value: Schema) => Schema): Record<string, Schema> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
