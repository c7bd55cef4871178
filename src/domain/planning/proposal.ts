// The changes that a planning session proposes. A person sees them, then Ralph applies all of them or none.
import type { FeatureFields } from '../tasks/feature.ts';
import type { Status, TaskFields } from '../tasks/task.ts';

export type Proposal = {
  /** The id of the queue's last event when the proposal was made. Later events are changes it does not know. */
  seen: number;
  features: readonly ProposedFeature[];
  added: readonly ProposedTask[];
  changed: readonly ProposedChange[];
  /** Tasks that the proposal would change, but that were changed in the queue meanwhile. */
  left_out: readonly { id: number; title: string }[];
};

export type ProposedFeature = { name: string; fields: FeatureFields };

export type ProposedTask = {
  /** Other tasks of the proposal refer to this id. The queue assigns the final one. */
  id: number;
  fields: TaskFields;
  depends_on: readonly number[];
  /** True if it depends on no open task, and its feature is not on hold. */
  is_ready: boolean;
};

export type ProposedChange = {
  id: number;
  title: string;
  status: Status;
  /** Only the fields that differ. */
  before: TaskChange;
  after: TaskChange;
  is_enriched: boolean;
  /** True if the change moves a draft into the queue. */
  is_queued: boolean;
};

export type TaskChange = Partial<TaskFields> & { depends_on?: readonly number[] };

/** The proposal with dependencies that a person added to its new tasks. */
export const addDependencies = (
  proposal: Proposal,
  more: readonly { task_id: number; depends_on: number }[],
): Proposal => ({
  ...proposal,
  added: proposal.added.map((task) => {
    const own = more.filter(({ task_id }) => task_id === task.id).map(({ depends_on }) => depends_on);
    return own.length === 0
      ? task
      : { ...task, depends_on: [...new Set([...task.depends_on, ...own])], is_ready: false };
  }),
});

export const isEmpty = ({ features, added, changed }: Proposal): boolean =>
  features.length + added.length + changed.length === 0;
