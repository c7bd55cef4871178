import * as z from 'zod';
import { ARCHIVISTS } from '../../../domain/learnings/learning.ts';
import { LEARNING_KINDS, LEARNING_SCOPES } from '../../../domain/sessions/signal.ts';
import { FEATURE_STATUSES } from '../../../domain/tasks/feature.ts';
import { EFFORTS, PRIORITIES } from '../../../domain/tasks/task.ts';
import { count, id, name, text, texts, time } from './fields.ts';
import { taskSchema } from './task.ts';

const mcpServer = z.strictObject({
  name,
  command: text.min(1),
  args: texts.nullish(),
  env: z.record(z.string(), text).nullish(),
});

export const disciplineSchema = z.strictObject({
  name: name.describe('its key: letters, digits, spaces, dots, dashes'),
  display_name: text.nullish().describe('how people see it'),
  acronym: text.nullish().describe('two to four letters'),
  icon: text.nullish().describe('name of an icon, for dashboards'),
  color: text.nullish().describe('such as "#2563eb", for dashboards'),
  system_prompt: text.nullish().describe('the persona: who does the work, and with what care'),
  skills: texts.nullish().describe('what it is good at'),
  conventions: text.nullish().describe('the standards its work follows'),
  mcp_servers: z
    .array(mcpServer)
    .nullish()
    .describe('MCP servers its sessions get besides Ralph: name, command, args, env'),
  agent: text.nullish().describe('the agent of its sessions; without it, that of the project'),
  model: text.nullish().describe('the model its sessions run on'),
  effort: z.enum(EFFORTS).nullish().describe('how hard the model thinks in its sessions'),
  tools: texts.nullish().describe("Claude Code's tools its sessions get"),
  image_path: text.nullish().describe('its picture, for other programs; Ralph keeps it'),
  crops: z.json().nullish().describe('parts of that picture, in any form; Ralph keeps them'),
  image_prompt: text.nullish().describe('what that picture was made from; Ralph keeps it'),
  created: time.nullish().describe('when it was made'),
});

/** A number, where 1 goes first, or the words of task priorities, which stand for 1 to 4. */
const featurePriority = z.union(
  [count, z.enum(PRIORITIES)],
  'is neither a whole number (1 goes first) nor one of critical, high, medium, low',
);

const learningFields = {
  body: text.min(1).describe('what was learned'),
  summary: text.nullish().describe('the same in one sentence'),
  reason: text.nullish().describe('why it matters'),
  discipline: name.nullish().describe('the discipline it belongs to'),
  agent_task_id: id.nullish().describe('the task that it was learned in'),
  created: time.nullish().describe('when it was made'),
};

/** A text alone is short for its `body`. Ralph numbers learnings itself, so it does not use `id` and `source_iteration`. */
const featureLearning = z.preprocess(
  (value) => (typeof value === 'string' ? { body: value } : value),
  z.strictObject({
    ...learningFields,
    category: z.enum(LEARNING_KINDS).nullish(),
    id: count.nullish(),
    source_iteration: count.nullish(),
  }),
);

export const featureSchema = z.strictObject({
  name: name.describe('its key: letters, digits, spaces, dots, dashes'),
  display_name: text.nullish().describe('how people see it'),
  acronym: text.nullish().describe('two to four letters'),
  description: text.nullish().describe('what it is, in a few sentences'),
  architecture: text.nullish().describe('how it is built'),
  boundaries: text.nullish().describe('what it does not touch'),
  dependencies: z.array(name).nullish().describe('features it builds on'),
  knowledge_paths: texts.nullish().describe('documents to know: files, folders or globs'),
  context_files: texts.nullish().describe('code to know: files, folders or globs'),
  priority: featurePriority.nullish().describe('1 goes first; or critical, high, medium, low'),
  status: z
    .enum(FEATURE_STATUSES)
    .nullish()
    .describe('where it stands; Ralph starts no task of a planned or deprecated feature'),
  spec_file: text.nullish().describe('the specification it comes from'),
  acceptance_criteria: texts.nullish().describe('what must hold when it is done'),
  learnings: z
    .array(featureLearning)
    .nullish()
    .describe('what was learned: texts, or body, category, summary, reason, discipline, agent_task_id'),
  comments: z.array(featureLearning).nullish().describe('the same as `learnings`'),
  created: time.nullish().describe('when it was made'),
});

const learningSchema = z.strictObject({
  feature: name.nullish().describe('the feature it belongs to'),
  scope: z.enum(LEARNING_SCOPES).nullish().describe('where it applies'),
  category: z.enum(LEARNING_KINDS).describe('what kind of knowledge'),
  ...learningFields,
  confirmations: count.nullish().describe('how often a session learned it again'),
  archived: time.nullish().describe('when it was archived; since then it is in no prompt'),
  archived_by: z
    .enum(ARCHIVISTS)
    .nullish()
    .describe('who archived it: a person, or the limit of its feature'),
  unproven: z
    .boolean()
    .nullish()
    .describe('true: other tasks do not get it before a gate or a person vouched for it'),
});

const metadataSchema = z.strictObject({
  title: text.nullish().describe('what the project is called'),
  description: text.nullish().describe('what it is, in a few sentences'),
  created: time.nullish().describe('when it was begun'),
});

/** One file may hold any of these; by convention each has its own file. */
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
