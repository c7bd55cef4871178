import { singleLine, truncate, visible } from '../text/text.ts';

export const FEATURE_STATUSES = ['planned', 'active', 'done', 'deprecated'] as const;
export type FeatureStatus = (typeof FEATURE_STATUSES)[number];

/** Ralph starts no task of a feature in one of these statuses. */
export const ON_HOLD = ['planned', 'deprecated'] as const satisfies readonly FeatureStatus[];
export type OnHold = (typeof ON_HOLD)[number];

export const isOnHold = (status: FeatureStatus): status is OnHold =>
  (ON_HOLD as readonly FeatureStatus[]).includes(status);

/** Also for a feature that a file defines: the command changes the file. */
export const activateCommand = (feature: string): string =>
  `ralph feature edit "${singleLine(feature)}" --status active`;

export type FeatureFields = {
  display_name: string | null;
  acronym: string | null;
  description: string | null;
  architecture: string | null;
  boundaries: string | null;
  dependencies: readonly string[];
  knowledge_paths: readonly string[];
  context_files: readonly string[];
  /** A lower number goes first; features without a priority go last. */
  priority: number | null;
  spec_file: string | null;
  acceptance_criteria: readonly string[];
};

/** A file that a session added to every prompt of its feature, beside the feature's own `context_files`. */
export type AddedFile = { path: string; task_id: number; session_id: string; added: number };

export type Feature = FeatureFields & {
  name: string;
  added_files: readonly AddedFile[];
  status: FeatureStatus;
  created: number;
  updated: number;
};

export const FEATURE_DEFAULTS: FeatureFields = {
  display_name: null,
  acronym: null,
  description: null,
  architecture: null,
  boundaries: null,
  dependencies: [],
  knowledge_paths: [],
  context_files: [],
  priority: null,
  spec_file: null,
  acceptance_criteria: [],
};

/** The rank of tasks whose feature has no priority. */
const LAST_FEATURE_RANK = 1_000_000_000;

export function featureRank(priority: number | null | undefined): number {
  return priority ?? LAST_FEATURE_RANK;
}

/** The content of the single commit of a feature, once its last task is done. */
export type FeatureWork = {
  name: string;
  title: string;
  /** In the order in which they were done; the last one completes the feature. */
  tasks: readonly { id: number; title: string; summary: string }[];
  /** The sessions whose work is not committed yet, each with its resulting tree; null for the session that is being finished. */
  sessions: readonly { id: string; tree_hash: string | null }[];
  /** The session of its last task; the commit names it. */
  last: { id: string; base_commit: string | null };
  /** When the last session ended. */
  at: number;
};

/** An agent wrote the summaries, and people read the file in a terminal, too. */
const progressText = (text: string): string => truncate(singleLine(visible(text)), MAX_PROGRESS_TEXT);
const MAX_PROGRESS_TEXT = 300;

/** The feature's entry in the progress file. */
export const progressEntry = ({ title, tasks, at }: FeatureWork): string =>
  [
    `## ${progressText(title)} (${new Date(at).toISOString().slice(0, 10)})`,
    '',
    ...tasks.map(
      ({ id, title: taskTitle, summary }) => `- #${id} ${progressText(taskTitle)}: ${progressText(summary)}`,
    ),
    '',
  ].join('\n');
