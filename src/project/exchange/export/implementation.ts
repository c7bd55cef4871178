// Writes implementation.json: specs with their tasks. The first keys of an entry are those of the original format.
// The other keys, present only if they have a value, make an import of the file lossless.
import {
  type BacklogFormat,
  type BacklogSnapshot,
  rankedFeatures,
} from '../../../domain/exchange/backlog.ts';
import { TASK_DEFAULTS, type Task } from '../../../domain/tasks/task.ts';
import { visibleJson } from '../../../domain/text/text.ts';
import { SPEC_WORDS, TASK_WORDS } from '../import/implementation.ts';
import { readBacklog } from '../import/index.ts';

export type TaskEntry = {
  id: string;
  description: string;
  status: string;
  acceptanceCriteria?: readonly string[];
  [more: string]: unknown;
};

type SpecEntry = {
  id: string;
  file?: string;
  name?: string;
  priority?: number;
  status: string;
  context?: string;
  tasks: readonly TaskEntry[];
  acceptanceCriteria?: readonly string[];
  [more: string]: unknown;
};

type Implementation = {
  version: 1;
  updatedAt: string;
  updatedBy: string;
  specs: readonly SpecEntry[];
  /** Tasks that belong to no spec. */
  tasks?: readonly TaskEntry[];
};

export function toImplementation({ features, tasks, taskId: idOf }: BacklogSnapshot): Implementation {
  const entriesOfFeature = (feature: string | null): TaskEntry[] =>
    tasks.filter((task) => task.feature === feature).map((task) => toEntry(task, idOf));
  const loose = entriesOfFeature(null);
  // The newest change, not the time of writing: the same queue must give the same file.
  const updated = Math.max(0, ...[...features, ...tasks].map((one) => one.updated));
  return {
    version: 1,
    updatedAt: new Date(updated).toISOString(),
    updatedBy: 'ralph',
    specs: rankedFeatures(features).map((feature) => ({
      id: feature.name,
      ...withoutEmpty({
        file: feature.spec_file,
        name: feature.display_name,
        priority: feature.priority,
        status: SPEC_WORDS[feature.status],
        context: feature.description,
        tasks: entriesOfFeature(feature.name),
        acceptanceCriteria: feature.acceptance_criteria,
        acronym: feature.acronym,
        architecture: feature.architecture,
        boundaries: feature.boundaries,
        dependsOn: feature.dependencies,
        knowledgePaths: feature.knowledge_paths,
        contextFiles: feature.context_files,
      }),
    })),
    ...(loose.length > 0 && { tasks: loose }),
  };
}

function toEntry(task: Task, idOf: BacklogSnapshot['taskId']): TaskEntry {
  const { parent, depends_on, priority, provenance } = task;
  return {
    id: idOf(task.id),
    description: task.title,
    status: TASK_WORDS[task.status],
    ...withoutEmpty({
      reason: task.blocked_by,
      acceptanceCriteria: task.acceptance_criteria,
      details: task.description,
      priority: priority === TASK_DEFAULTS.priority ? null : priority,
      provenance: provenance === TASK_DEFAULTS.provenance ? null : provenance,
      parent: parent === null ? null : idOf(parent),
      dependsOn: depends_on.map(idOf).sort(),
      discipline: task.discipline,
      contextFiles: task.context_files,
      outputArtifacts: task.output_artifacts,
      hints: task.hints,
      pseudocode: task.pseudocode,
      estimatedTurns: task.estimated_turns,
      agent: task.agent,
      model: task.model,
      effort: task.effort,
      tags: task.tags,
      kind: task.kind === TASK_DEFAULTS.kind ? null : task.kind,
      needs: task.needs,
    }),
  };
}

/** Drops nulls and empty lists, but keeps an empty `tasks`: every spec has that key. */
function withoutEmpty<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields).filter(
    ([name, value]) => value !== null && (name === 'tasks' || !Array.isArray(value) || value.length > 0),
  );
  return Object.fromEntries(entries) as { [Name in keyof Fields]: NonNullable<Fields[Name]> };
}

export const implementationFormat: BacklogFormat = {
  source: 'implementation',
  preferredId: ({ id, feature }) => `${feature ?? 'task'}-${id}`,
  format: (snapshot) => `${visibleJson(toImplementation(snapshot))}\n`,
  read: (text, file) => readBacklog(text, file, 'implementation'),
};
