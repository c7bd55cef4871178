import { resolve } from 'node:path';
import type {
  Definitions,
  DisciplineDefinition,
  FeatureDefinition,
  LearningDefinition,
  TaskDefinition,
  TaskState,
} from '../../domain/definition.ts';
import { Refusal } from '../../domain/refusal.ts';
import { PRIORITIES } from '../../domain/tasks/task.ts';
import {
  type DefinitionsYaml,
  type DisciplineYaml,
  definitionsSchema,
  type FeatureYaml,
  type LearningYaml,
} from './schema/definitions.ts';
import { withoutNullish } from './schema/fields.ts';
import type { TaskYaml } from './schema/task.ts';
import { type Located, readYaml } from './yaml.ts';

/** Reads all files or none: their definitions refer to each other. */
export async function readDefinitions(root: string, files: readonly string[]): Promise<Definitions> {
  const read = await Promise.all(files.map((file) => readYaml(resolve(root, file), file, definitionsSchema)));
  const parts = read.flatMap((located, index) =>
    located === undefined ? [] : [toDefinitions(located, files[index] ?? '')],
  );
  const disciplines = parts.flatMap((part) => part.disciplines);
  const features = parts.flatMap((part) => part.features);
  requireUnique('discipline', disciplines);
  requireUnique('feature', features);
  return {
    project: Object.assign({}, ...parts.map(({ project }) => project)),
    disciplines,
    features,
    tasks: parts.flatMap((part) => part.tasks),
    learnings: parts.flatMap((part) => part.learnings),
  };
}

function toDefinitions({ value, lineAt }: Located<DefinitionsYaml>, file: string): Definitions {
  const at = (key: string, index: number): string => `${file}:${lineAt([key, index])}`;
  return {
    project: withoutNullish(value.metadata ?? {}),
    disciplines: (value.disciplines ?? []).map((entry, index) =>
      toDiscipline(entry, at('disciplines', index)),
    ),
    features: (value.features ?? []).map((entry, index) => toFeature(entry, at('features', index))),
    tasks: (value.tasks ?? []).map((entry, index) => toTask(entry, at('tasks', index))),
    learnings: [
      ...(value.learnings ?? []).map((entry, index) => toLearning(entry, at('learnings', index))),
      ...(value.features ?? []).flatMap(({ name, learnings, comments }, index) =>
        Object.entries({ learnings, comments }).flatMap(([key, entries]) =>
          (entries ?? []).map((entry, place) =>
            toLearning(
              { ...entry, feature: name, category: entry.category ?? 'discovery' },
              `${file}:${lineAt(['features', index, key, place])}`,
            ),
          ),
        ),
      ),
    ],
  };
}

export function toDiscipline(entry: DisciplineYaml, at: string): DisciplineDefinition {
  const { name, created, mcp_servers, ...fields } = withoutNullish(entry);
  const servers = mcp_servers?.map((server) => ({
    ...server,
    args: server.args ?? [],
    env: server.env ?? {},
  }));
  return {
    at,
    name,
    fields: { ...fields, ...(servers && { mcp_servers: servers }) },
    ...(created !== undefined && { created }),
  };
}

export function toFeature(entry: FeatureYaml, at: string): FeatureDefinition {
  const {
    name,
    created,
    priority,
    dependencies,
    learnings: _learnings,
    comments: _comments,
    ...fields
  } = withoutNullish(entry);
  const rank = typeof priority === 'string' ? PRIORITIES.indexOf(priority) + 1 : priority;
  return {
    at,
    name,
    fields: {
      ...fields,
      ...(rank !== undefined && { priority: rank }),
      ...(dependencies !== undefined && { dependencies: [...new Set(dependencies)].sort() }),
    },
    ...(created !== undefined && { created }),
  };
}

function toTask(entry: TaskYaml, at: string): TaskDefinition {
  const { id, depends_on, references, comments, questions, ...rest } = withoutNullish(entry);
  const {
    status,
    blocked_by,
    attempts,
    stuck_count,
    not_before,
    created,
    updated,
    completed,
    enriched_at,
    archived,
    ...fields
  } = rest;
  const state = {
    status,
    blocked_by,
    attempts,
    stuck_count,
    not_before,
    created,
    updated,
    completed,
    enriched_at,
    archived,
  };
  return {
    at,
    ...(id !== undefined && { id }),
    fields: { ...fields, title: fields.title.trim() },
    ...(depends_on !== undefined && { depends_on: [...new Set(depends_on)].sort((a, b) => a - b) }),
    ...(references !== undefined && { references }),
    state: withoutNullish({
      ...state,
      comments: comments?.map(toComment),
      questions: questions?.map(toQuestion),
    }),
  };
}

const toComment = ({
  author,
  agent_task_id,
  body,
  created,
}: NonNullable<TaskYaml['comments']>[number]): TaskState['comments'][number] => ({
  author: author ?? 'human',
  ...(agent_task_id != null && { agent_task_id }),
  body,
  ...(created != null && { created }),
});

const toQuestion = (entry: NonNullable<TaskYaml['questions']>[number]): TaskState['questions'][number] => ({
  question: entry.question,
  blocking: entry.blocking ?? true,
  options: entry.options ?? [],
  preferred: entry.preferred ?? null,
  answer: entry.answer ?? null,
  ...(entry.asked != null && { asked: entry.asked }),
  answered: entry.answered ?? null,
  dismissed: entry.dismissed ?? null,
});

const toLearning = (entry: LearningYaml, at: string): LearningDefinition => ({
  at,
  feature: entry.feature ?? null,
  scope: entry.scope ?? (entry.feature ? 'feature' : 'project'),
  category: entry.category,
  body: entry.body,
  summary: entry.summary ?? null,
  reason: entry.reason ?? null,
  discipline: entry.discipline ?? null,
  ...(entry.agent_task_id != null && { agent_task_id: entry.agent_task_id }),
  ...(entry.created != null && { created: entry.created }),
  ...(entry.confirmations != null && { confirmations: entry.confirmations }),
  ...(entry.archived != null && { archived: entry.archived, archived_by: entry.archived_by ?? 'person' }),
  ...(entry.unproven === true && { unproven: true }),
});

function requireUnique(kind: string, entries: readonly { name: string; at: string }[]): void {
  const seen = new Map<string, string>();
  for (const { name, at } of entries) {
    const twin = seen.get(name);
    if (twin !== undefined)
      throw new Refusal(`${at}: the ${kind} "${name}" is defined at ${twin} already; keep one of them.`);
    seen.set(name, at);
  }
}
