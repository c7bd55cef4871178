import type { Tool as McpTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Tool } from '../tools/tool.ts';

const MAX_STATED_LIMIT = 1_000_000;

/** `isLean`: without the rare arguments. */
export function describeTool(tool: Tool, { isLean = false } = {}): McpTool {
  const { name, title, description, input, hints, maxResultCharacters } = tool;
  return {
    name,
    title,
    description,
    inputSchema: isLean ? withoutProperties(tool.rare ?? [], inputSchema(input)) : inputSchema(input),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
    ...(maxResultCharacters !== undefined && {
      _meta: { 'anthropic/maxResultSizeChars': maxResultCharacters },
    }),
  };
}

/**
 * Drops keywords that tell a model nothing but cost tokens in every session: `$schema`, limits that no real value reaches, and
 * `additionalProperties`, because unknown arguments are ignored. Drops patterns too: some clients' regular expressions know no
 * Unicode classes, and the tool checks its arguments itself.
 */
export function inputSchema(input: z.ZodObject): McpTool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
      delete jsonSchema.minItems;
      delete jsonSchema.maxItems;
      delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === 1) delete jsonSchema.minimum;
      if (Number(jsonSchema.maximum) > MAX_STATED_LIMIT) delete jsonSchema.maximum;
    },
  });
  // Copied as plain JSON: the two libraries type the same document differently.
  return JSON.parse(JSON.stringify(schema));
}

/** Removes them at any depth: `create_tasks` takes a list of tasks. */
function withoutProperties<Schema>(names: readonly string[], schema: Schema): Schema {
  const isRare = (key: string, value: unknown): boolean =>
    names.includes(key) && typeof value === 'object' && value !== null;
  return JSON.parse(JSON.stringify(schema, (key, value) => (isRare(key, value) ? undefined : value)));
}
