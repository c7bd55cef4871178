// The fields of server.json that the MCP registry asks for (schema 2025-12-11), in our own words: with its lengths, patterns and
// required fields, stricter where the registry refuses more than its schema says, and only what Ralph uses.
import { z } from 'zod';

const VERSION = z
  .string()
  .max(255)
  .regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/, 'is one version, not a range');

export const SERVER_JSON = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .min(3)
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/, 'is a reverse domain, a slash and a name'),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  repository: z.strictObject({
    // z.url() would take spaces, which a URI has not.
    url: z.string().regex(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+$/, 'is https://github.com/OWNER/REPO'),
    source: z.literal('github'),
  }),
  version: VERSION,
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.string().min(1),
      version: VERSION,
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.tuple([z.strictObject({ type: z.literal('positional'), value: z.literal('mcp') })]),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          format: z.enum(['string', 'number', 'boolean', 'filepath']),
          isRequired: z.boolean(),
        }),
      ),
    }),
  ]),
});
