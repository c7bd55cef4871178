import * as z from 'zod';
import { definitionsSchema } from '../../src/project/definitions/schema/definitions.ts';
import { type Schema, schemaTable } from './config.ts';
import { NOTE } from './note.ts';

const KINDS: Record<string, string> = {
  metadata: 'The project itself.',
  disciplines: 'How work is done.',
  features: 'What the work is about.',
  tasks:
    'Each task is one session of work. The keys from `status` on are state: Ralph reads them only when it sees the task for the first time.',
  learnings: 'Facts that later prompts show.',
};

export function definitionsReference(): string {
  const { properties = {} } = z.toJSONSchema(definitionsSchema, {
    io: 'input',
    unrepresentable: 'any',
  }) as Schema;
  const parts = Object.entries(KINDS).map(([name, about]) => {
    const found = properties[name]?.anyOf?.find((one) => one.type !== 'null');
    return `## \`.ralph/${name}.yaml\`\n\n${about}\n\n${schemaTable(found?.items ?? found ?? {})}`;
  });
  return `${NOTE}\n\n# Definitions\n\nEvery key is optional, except \`name\`, \`title\`, and the \`category\` and \`body\` of a learning. Each file has one top-level key, which is the name of the file.\n\n${parts.join('\n\n')}\n`;
}
