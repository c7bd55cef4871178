import { folded } from '../text/text.ts';

/** What a feature's one commit holds and says, once its last task is done. */
export type FeatureWork = {
  name: string;
  title: string;
  /** In the order they were done; the one that completes the feature is the last. */
  tasks: readonly { id: number; title: string; summary: string }[];
  /** The sessions whose work no commit holds yet, each with the tree it left. */
  sessions: readonly { id: string; tree_hash: string | null }[];
  /** When the last session ended. */
  at: number;
};

/** The feature's entry in PROGRESS.md. */
export const progressEntry = ({ title, tasks, at }: FeatureWork): string =>
  [
    `## ${folded(title)} (${new Date(at).toISOString().slice(0, 10)})`,
    '',
    ...tasks.map(({ id, title: what, summary }) => `- #${id} ${folded(what)}: ${folded(summary)}`),
    '',
  ].join('\n');
