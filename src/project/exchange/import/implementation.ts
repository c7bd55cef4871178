import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { FEATURE_STATUSES, type FeatureStatus } from '../../../domain/tasks/feature.ts';
import { EFFORTS, PROVENANCES, STATUSES, type Status, TASK_KINDS } from '../../../domain/tasks/task.ts';
import { type Collector, collect } from './collect.ts';
import type { Json } from './json.ts';
import { isRecord, SourceRecord } from './source-record.ts';

export const TASK_WORDS: Record<Status, string> = {
  draft: 'draft',
  pending: 'pending',
  in_progress: 'in_progress',
  needs_input: 'needs_input',
  blocked: 'blocked',
  failed: 'failed',
  done: 'completed',
  skipped: 'skipped',
};

export const SPEC_WORDS: Record<FeatureStatus, string> = {
  planned: 'pending',
  active: 'in_progress',
  done: 'completed',
  deprecated: 'deprecated',
};

const TASK_STATUSES: Readonly<Record<string, Status>> = {
  ...Object.fromEntries(STATUSES.map((status) => [TASK_WORDS[status], status])),
  done: 'done',
  // No session of this queue works on it.
  in_progress: 'pending',
};

/** Ralph's own words, accepted besides those of the format. */
const FEATURE_WORDS: ReadonlyMap<string, FeatureStatus> = new Map([
  ['planned', 'planned'],
  ['done', 'done'],
]);

export const recognisesImplementation = (value: unknown): boolean =>
  isRecord(value) && Array.isArray(value['specs']);

/** Specs become features. The file states all links explicitly. */
export function readImplementation(value: Json): Backlog {
  const collector = collect();
  const record = new SourceRecord(value);
  record.ignore('version', 'updatedAt', 'updatedBy');
  for (const [index, spec] of record.records('specs').entries())
    readSpec(collector, spec, `spec ${index + 1}`);
  readTasks(collector, record.records('tasks'), null, 'no spec');
  for (const name of Object.keys(record.leftovers()))
    collector.problem(`${name} is not a key of implementation.json that Ralph knows; it was left out.`);
  return collector.backlog({ source: 'implementation', board: null, isOneBoard: false, partsFirst: false });
}

function readSpec(collector: Collector, value: Json, place: string): void {
  const spec = new SourceRecord(value);
  const id = spec.id('id');
  const name = spec.text('name');
  const sourceStatus = spec.text('status');
  const status =
    FEATURE_STATUSES.find((one) => SPEC_WORDS[one] === sourceStatus) ?? FEATURE_WORDS.get(sourceStatus ?? '');
  if (sourceStatus !== null && status === undefined)
    collector.problem(`${id ?? place} has the unknown status ${sourceStatus}; it was imported as active.`);
  const tasks = spec.records('tasks');
  const context = spec.text('context');
  const fields = {
    spec_file: spec.text('file'),
    priority: spec.count('priority'),
    acceptance_criteria: spec.texts('acceptanceCriteria'),
    acronym: spec.text('acronym'),
    architecture: spec.text('architecture'),
    boundaries: spec.text('boundaries'),
    dependencies: [...new Set(spec.ids('dependsOn'))].sort(),
    knowledge_paths: spec.texts('knowledgePaths'),
    context_files: spec.texts('contextFiles'),
  };
  const more = Object.entries(spec.leftovers()).map(([key, text]) => `${key}: ${text}`);
  const feature = collector.feature(
    id ?? name ?? place,
    {
      ...fields,
      description: [context, more.join('\n')].filter(Boolean).join('\n\n') || null,
      ...(name !== null && { display_name: name }),
    },
    status,
  );
  readTasks(collector, tasks, feature, id ?? place);
}

function readTasks(collector: Collector, tasks: readonly Json[], feature: string | null, spec: string): void {
  for (const [index, value] of tasks.entries()) {
    const task = new SourceRecord(value);
    const place = `task ${index + 1} of ${spec}`;
    const id = task.id('id');
    const sourceStatus = task.text('status');
    const title = task.text('title');
    const description = task.text('description');
    const details = task.text('details');
    const priority = collector.priority(id ?? place, task.number('priority') ?? task.text('priority'));
    const status = collector.status(id ?? place, sourceStatus, TASK_STATUSES);
    const provenance = task.text('provenance');
    const source = PROVENANCES.find((one) => one === provenance);
    const kind = TASK_KINDS.find((one) => one === task.text('kind'));
    const needs = task.texts('needs');
    const level = task.text('effort');
    const effort = EFFORTS.find((one) => one === level) ?? null;
    if (level !== null && effort === null)
      collector.problem(`${id ?? place} has the unknown effort ${level}; it was imported without one.`);
    collector.task({
      id,
      place,
      title: title ?? description,
      status,
      original_status: sourceStatus ?? 'pending',
      blocked_by: task.text('reason'),
      parent: task.id('parent'),
      depends_on: task.ids('dependsOn'),
      fields: {
        feature,
        description: title === null ? details : [description, details].filter(Boolean).join('\n\n'),
        discipline: task.text('discipline'),
        acceptance_criteria: task.texts('acceptanceCriteria'),
        context_files: task.texts('contextFiles'),
        output_artifacts: task.texts('outputArtifacts'),
        hints: task.text('hints'),
        pseudocode: task.text('pseudocode'),
        estimated_turns: task.count('estimatedTurns') || null,
        agent: task.text('agent'),
        model: task.text('model'),
        effort,
        tags: task.texts('tags'),
        ...(priority !== undefined && { priority }),
        ...(source !== undefined && { provenance: source }),
        // Other tools write neither: what a person set here stays.
        ...(kind !== undefined && { kind }),
        ...(needs.length > 0 && { needs }),
      },
      times: {},
      leftovers: task.leftovers(),
    });
  }
}
