import type { Tool as McpTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Tool } from '../tools/tool.ts';

export function describeTool({ name, title, description, input, hints }: Tool): McpTool {
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    annotations: {
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}

/**
 * Without `$schema`, which says nothing to a model and is paid for in every session, and without patterns:
 * not every client's regular expressions know Unicode classes, and the tool checks its arguments itself.
 */
export function inputSchemaOf(input: z.ZodObject): McpTool['inputSchema'] {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.pattern;
    },
  });
  return JSON.parse(JSON.stringify(schema));
}
