import * as z from 'zod';
import { SOURCES } from '../../../domain/exchange/backlog.ts';
import {
  COMMENT_AUTHORS,
  EFFORTS,
  PRIORITIES,
  PROVENANCES,
  STATUSES,
  TASK_KINDS,
} from '../../../domain/tasks/task.ts';
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
  dismissed: time.nullish(),
});

const reference = z.strictObject({ source: z.enum(SOURCES), board: text.min(1), id: text.min(1) });

export const taskSchema = z.strictObject({
  id: id.nullish().describe('its number; without one, Ralph finds it by its title'),
  feature: name.nullish().describe('the feature it belongs to'),
  discipline: name.nullish().describe('how it is done'),
  parent: id.nullish().describe('the larger task it is part of'),
  title: title.describe('what is to be done, in a few words'),
  description: text.nullish().describe('what is to be done, at length'),
  kind: z
    .enum(TASK_KINDS)
    .nullish()
    .describe('change, or investigate: then a done without a changed file is accepted'),
  priority: z.enum(PRIORITIES).nullish().describe('how soon it is wanted'),
  provenance: z.enum(PROVENANCES).nullish().describe('who proposed it'),
  depends_on: z.array(id).nullish().describe('tasks that must be done first'),
  acceptance_criteria: texts.nullish().describe('what must hold when it is done'),
  context_files: texts.nullish().describe('files to read for it: files, folders or globs'),
  output_artifacts: texts.nullish().describe('files it creates or changes'),
  hints: text.nullish().describe('what a senior would tell a junior'),
  pseudocode: text.nullish().describe('the steps, in order'),
  estimated_turns: id.nullish().describe('turns it may take, in place of the limit'),
  agent: text.nullish().describe('the agent of every try; without it, that of the discipline or the project'),
  model: text.nullish().describe('the model to begin with'),
  effort: z.enum(EFFORTS).nullish().describe('how hard the model thinks'),
  tags: texts.nullish().describe('words to find it by'),
  needs: texts.nullish().describe('labels that a run must have to work on it, such as gpu'),
  references: z
    .array(reference)
    .nullish()
    .describe('where it was imported from, so that importing it again finds it: source, board, id'),
  // State: Ralph reads it only when the task is new.
  status: z.enum(STATUSES).nullish().describe('where it stands'),
  blocked_by: text.nullish().describe('what must happen outside the queue first'),
  attempts: count.nullish().describe('dones that were refuted'),
  stuck_count: count.nullish().describe('times it got stuck'),
  not_before: time.nullish().describe('when it may be started'),
  created: time.nullish().describe('when it was made'),
  updated: time.nullish().describe('when it last changed'),
  completed: time.nullish().describe('when it was done'),
  enriched_at: time.nullish().describe('when it was enriched'),
  archived: time.nullish().describe('when a person removed it; since then it is in no list'),
  comments: z
    .array(comment)
    .nullish()
    .describe('comments: author, body, created, agent_task_id (the task whose agent wrote it)'),
  questions: z
    .array(question)
    .nullish()
    .describe('what agents asked: question, blocking, options, preferred, answer'),
});

export type TaskYaml = z.output<typeof taskSchema>;
