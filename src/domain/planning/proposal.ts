// What a planning session would change, as values: shown to a person, then applied as a whole or not at all.
import type { FeatureFields } from '../tasks/feature.ts';
import type { Status, TaskFields } from '../tasks/task.ts';

export type Proposal = {
  /** The last event of the queue when this was put together: what was touched after it is not what was looked at. */
  seen: number;
  features: readonly ProposedFeature[];
  added: readonly ProposedTask[];
  changed: readonly ProposedChange[];
  /** Tasks that it wanted to change and somebody else has changed meanwhile. */
  left_out: readonly { id: number; title: string }[];
};

export type ProposedFeature = { name: string; fields: FeatureFields };

export type ProposedTask = {
  /** By which others of the proposal refer to it; it gets its number when it is applied. */
  id: number;
  fields: TaskFields;
  depends_on: readonly number[];
  /** Nothing that is not done yet must come before it. */
  is_ready: boolean;
};

export type ProposedChange = {
  id: number;
  title: string;
  status: Status;
  /** Only what differs. */
  before: TaskChange;
  after: TaskChange;
  is_enriched: boolean;
  /** A draft that enters the queue with it. */
  is_queued: boolean;
};

export type TaskChange = Partial<TaskFields> & { depends_on?: readonly number[] };

export const isEmpty = ({ features, added, changed }: Proposal): boolean =>
  features.length + added.length + changed.length === 0;
