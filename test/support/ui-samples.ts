// An input for every view and action, made of its own schema: whoever adds one need not add it here.
import { z } from 'zod';
import { ACTIONS } from '../../src/ui/actions/index.ts';
import { VIEWS } from '../../src/ui/views/index.ts';

type Schema = {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
};

/** Where what is called so has to be somebody in particular. */
const KNOWN: Readonly<Record<string, unknown>> = {
  feature: 'auth',
  name: 'auth',
  path: 'docs/auth.md',
  status: 'ready',
  // Takes the place of those that are named.
  all: undefined,
};

function sampleOf(schema: Schema, name = ''): unknown {
  if (name in KNOWN) return KNOWN[name];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.anyOf !== undefined) return sampleOf(schema.anyOf[0] ?? {}, name);
  if (schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [key, sampleOf(value, key)]),
    );
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [sampleOf(schema.items ?? {})];
    default:
      return '1';
  }
}

const inputOf = (schema: z.ZodType): Record<string, unknown> =>
  sampleOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema) as Record<
    string,
    unknown
  >;

export const ACTION_SAMPLES: readonly { name: string; input: unknown }[] = [...ACTIONS.values()].map(
  ({ name, input }) => ({ name, input: inputOf(input) }),
);

/** The address of each, with everything that it takes. */
export const VIEW_SAMPLES: readonly string[] = VIEWS.map(({ path, input }) => {
  const query = new URLSearchParams();
  let address = path;
  for (const [name, value] of Object.entries(inputOf(input)))
    if (value === undefined) continue;
    else if (path.split('/').includes(`:${name}`)) address = address.replace(`:${name}`, String(value));
    else query.set(name, String(value));
  return query.size === 0 ? address : `${address}?${query}`;
});
