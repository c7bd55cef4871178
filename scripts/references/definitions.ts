import * as z from 'zod';
import { definitionsSchema } from '../../src/project/definitions/schema/definitions.ts';
import { type Schema, schemaTable } from './config.ts';
import { NOTE } from './note.ts';

const KINDS: Record<string, string> = {
  metadata: 'The project itself.',
  disciplines: 'How work is done.',
  features: 'What the work is about.',
  tasks:
    'One session of work each. The keys from `status` on are state: they are read only when the task is seen for the first time.',
  learnings: 'What was learned, for prompts to come.',
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
  return `${NOTE}\n\n# Definitions\n\nEvery key is optional but \`name\`, \`title\`, and the \`category\` and \`body\` of a learning. Each file holds one key of its own name.\n\n${parts.join('\n\n')}\n`;
}
