import type {
  Definitions,
  FeatureDefinition,
  LearningDefinition,
  TaskDefinition,
} from '../../domain/definition.ts';
import type { Reference } from '../../domain/exchange/backlog.ts';
import { DISCIPLINE_DEFAULTS } from '../../domain/tasks/discipline.ts';
import { FEATURE_DEFAULTS } from '../../domain/tasks/feature.ts';
import { type Question, TASK_DEFAULTS, type TaskComment } from '../../domain/tasks/task.ts';
import { allLearnings } from '../../store/learnings/learnings.ts';
import { readMetadata } from '../../store/metadata.ts';
import { listDisciplines } from '../../store/tasks/disciplines.ts';
import { listFeatures } from '../../store/tasks/features.ts';
import { allQuestions } from '../../store/tasks/questions.ts';
import { allReferences } from '../../store/tasks/references.ts';
import { allTaskComments } from '../../store/tasks/task-comments.ts';
import { listTasks, type StoredTask } from '../../store/tasks/tasks.ts';
import type { Queue } from '../queue.ts';
import { pick } from './merge.ts';

const PLACE = { at: 'export' };

const LEARNING_FIELDS = [
  'feature',
  'scope',
  'category',
  'body',
  'summary',
  'reason',
  'discipline',
  'created',
] as const;

/** Everything that definition files can express, without default values. */
export function exportDefinitions(queue: Queue): Promise<Definitions> {
  return queue.store.read(async (db) => {
    const { title, description, created } = await readMetadata(db);
    const comments = groupByTask(await allTaskComments(db));
    const questions = groupByTask(await allQuestions(db));
    const references = groupByTask(await allReferences(db));
    return {
      project: withoutUndefined({
        title,
        description,
        created: created === undefined ? undefined : Number(created),
      }),
      disciplines: (await listDisciplines(db)).map((discipline) => ({
        ...PLACE,
        name: discipline.name,
        fields: withoutDefaults(discipline, DISCIPLINE_DEFAULTS),
        created: discipline.created,
      })),
      features: (await listFeatures(db)).map(
        (feature): FeatureDefinition => ({
          ...PLACE,
          name: feature.name,
          fields: { ...withoutDefaults(feature, FEATURE_DEFAULTS), status: feature.status },
          created: feature.created,
        }),
      ),
      tasks: (await listTasks(db, { archived: 'too' })).map((task) =>
        toDefinition(task, {
          comments: comments.get(task.id) ?? [],
          questions: questions.get(task.id) ?? [],
          references: references.get(task.id) ?? [],
        }),
      ),
      learnings: (await allLearnings(db)).map(
        ({ task_id, confirmations, archived, archived_by, proven, ...learning }) => ({
          ...PLACE,
          ...pick<Omit<LearningDefinition, 'at'>>(learning, LEARNING_FIELDS),
          ...(task_id !== null && { agent_task_id: task_id }),
          ...(confirmations > 0 && { confirmations }),
          ...(archived !== null && { archived, archived_by }),
          ...(proven === null && { unproven: true }),
        }),
      ),
    };
  });
}

function toDefinition(
  task: StoredTask,
  {
    comments,
    questions,
    references,
  }: {
    comments: readonly TaskComment[];
    questions: readonly Question[];
    references: readonly (Reference & { task_id: number })[];
  },
): TaskDefinition {
  const {
    id,
    status,
    attempts,
    stuck_count,
    blocked_by,
    not_before,
    created,
    updated,
    completed,
    enriched_at,
    archived,
  } = task;
  return {
    ...PLACE,
    id,
    fields: { title: task.title, ...withoutDefaults(task, TASK_DEFAULTS) },
    ...(task.depends_on.length > 0 ? { depends_on: task.depends_on } : {}),
    ...(references.length > 0
      ? { references: references.map(({ task_id: _task, ...reference }) => reference) }
      : {}),
    state: {
      status,
      ...withoutDefaults(
        { attempts, stuck_count, blocked_by, not_before, completed, enriched_at, archived },
        NO_STATE,
      ),
      created,
      updated,
      ...(comments.length > 0
        ? {
            comments: comments.map(({ author, agent_task_id = null, body, created }) => ({
              author,
              ...(agent_task_id !== null && { agent_task_id }),
              body,
              created,
            })),
          }
        : {}),
      ...(questions.length > 0
        ? { questions: questions.map(({ id: _id, task_id: _task, ...question }) => question) }
        : {}),
    },
  };
}

const NO_STATE = {
  attempts: 0,
  stuck_count: 0,
  blocked_by: null,
  not_before: null,
  completed: null,
  enriched_at: null,
  archived: null,
};

/** The fields whose value differs from the default. */
function withoutDefaults<Fields extends object>(entity: Fields, defaults: Fields): Partial<Fields> {
  const names = Object.keys(defaults) as (keyof Fields)[];
  const changed = names.filter((name) => JSON.stringify(entity[name]) !== JSON.stringify(defaults[name]));
  return Object.fromEntries(changed.map((name) => [name, entity[name]])) as Partial<Fields>;
}

function withoutUndefined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}

function groupByTask<Row extends { task_id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) groups.set(row.task_id, [...(groups.get(row.task_id) ?? []), row]);
  return groups;
}
