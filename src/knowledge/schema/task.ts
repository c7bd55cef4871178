import * as z from 'zod';
import { COMMENT_AUTHORS, PRIORITIES, PROVENANCES, STATUSES } from '../../domain/task.ts';
import { count, id, name, text, texts, time, title } from './fields.ts';

const comment = z.strictObject({
  author: z.enum(COMMENT_AUTHORS).nullish(),
  agent_task_id: id.nullish(),
  body: text,
  created: time.nullish(),
});

const question = z.strictObject({
  question: text,
  blocking: z.boolean().nullish(),
  options: texts.nullish(),
  preferred: text.nullish(),
  answer: text.nullish(),
  asked: time.nullish(),
  answered: time.nullish(),
});

export const taskSchema = z.strictObject({
  id: id.nullish(),
  feature: name.nullish(),
  discipline: name.nullish(),
  parent: id.nullish(),
  title,
  description: text.nullish(),
  priority: z.enum(PRIORITIES).nullish(),
  provenance: z.enum(PROVENANCES).nullish(),
  depends_on: z.array(id).nullish(),
  acceptance_criteria: texts.nullish(),
  context_files: texts.nullish(),
  output_artifacts: texts.nullish(),
  hints: text.nullish(),
  pseudocode: text.nullish(),
  estimated_turns: id.nullish(),
  model: text.nullish(),
  tags: texts.nullish(),
  // State, read only when the task is new.
  status: z.enum(STATUSES).nullish(),
  blocked_by: text.nullish(),
  attempts: count.nullish(),
  stuck_count: count.nullish(),
  not_before: time.nullish(),
  created: time.nullish(),
  updated: time.nullish(),
  completed: time.nullish(),
  enriched_at: time.nullish(),
  comments: z.array(comment).nullish(),
  questions: z.array(question).nullish(),
});

export type TaskYaml = z.output<typeof taskSchema>;
