import type { Tool as McpTool } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Tool } from '../tools/tool.ts';

export function describeTool(tool: Tool): McpTool {
  const { name, title, description, input, hints, maxResultCharacters } = tool;
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
    ...(maxResultCharacters !== undefined && {
      _meta: { 'anthropic/maxResultSizeChars': maxResultCharacters },
    }),
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
  // Taken over as plain JSON: the two libraries type the same document differently.
  return JSON.parse(JSON.stringify(schema));
}
