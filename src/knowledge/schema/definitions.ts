import * as z from 'zod';
import { FEATURE_STATUSES } from '../../domain/feature.ts';
import { LEARNING_KINDS, LEARNING_SCOPES } from '../../domain/signal.ts';
import { PRIORITIES } from '../../domain/task.ts';
import { count, name, text, texts, time } from './fields.ts';
import { taskSchema } from './task.ts';

const mcpServer = z.strictObject({
  name,
  command: text.min(1),
  args: texts.nullish(),
  env: z.record(z.string(), text).nullish(),
});

const disciplineSchema = z.strictObject({
  name,
  display_name: text.nullish(),
  acronym: text.nullish(),
  icon: text.nullish(),
  color: text.nullish(),
  system_prompt: text.nullish(),
  skills: texts.nullish(),
  conventions: text.nullish(),
  mcp_servers: z.array(mcpServer).nullish(),
  model: text.nullish(),
  tools: texts.nullish(),
  created: time.nullish(),
});

/** A number, 1 first; or the words that tasks use, which are the numbers 1 to 4. */
const featurePriority = z.union(
  [count, z.enum(PRIORITIES)],
  'is neither a whole number (1 goes first) nor one of critical, high, medium, low',
);

const featureSchema = z.strictObject({
  name,
  display_name: text.nullish(),
  acronym: text.nullish(),
  description: text.nullish(),
  architecture: text.nullish(),
  boundaries: text.nullish(),
  dependencies: z.array(name).nullish(),
  knowledge_paths: texts.nullish(),
  context_files: texts.nullish(),
  priority: featurePriority.nullish(),
  status: z.enum(FEATURE_STATUSES).nullish(),
  spec_file: text.nullish(),
  acceptance_criteria: texts.nullish(),
  created: time.nullish(),
});

const learningSchema = z.strictObject({
  feature: name.nullish(),
  scope: z.enum(LEARNING_SCOPES).nullish(),
  category: z.enum(LEARNING_KINDS),
  body: text.min(1),
  summary: text.nullish(),
  reason: text.nullish(),
  discipline: name.nullish(),
  created: time.nullish(),
});

const metadataSchema = z.strictObject({
  title: text.nullish(),
  description: text.nullish(),
  created: time.nullish(),
});

/** One file may hold any of these; by custom each has a file of its own. */
export const definitionsSchema = z.strictObject({
  metadata: metadataSchema.nullish(),
  disciplines: z.array(disciplineSchema).nullish(),
  features: z.array(featureSchema).nullish(),
  tasks: z.array(taskSchema).nullish(),
  learnings: z.array(learningSchema).nullish(),
});

export type DefinitionsYaml = z.output<typeof definitionsSchema>;
export type DisciplineYaml = z.output<typeof disciplineSchema>;
export type FeatureYaml = z.output<typeof featureSchema>;
export type LearningYaml = z.output<typeof learningSchema>;
