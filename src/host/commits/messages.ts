// The messages of the commits that Ralph makes. Their trailers tell which tasks and which session a commit belongs to.
import { commitMessage, commitSubject } from '../../domain/sessions/commit-message.ts';
import type { FeatureWork } from '../../domain/tasks/feature.ts';
import { singleLine } from '../../domain/text/text.ts';

type MessageInput = {
  session_id: string;
  task: { id: number; title: string; feature: string | null; tags?: readonly string[] };
  summary: string;
  template: string;
  /** Other tasks whose work is in the same commit. */
  others?: readonly number[];
};

export const taskMessage = ({ session_id, task, summary, template, others = [] }: MessageInput): string =>
  commitMessage({
    title: commitSubject(template, { ...task, tags: task.tags ?? [] }),
    summary,
    trailers: [
      ...taskTrailers([task.id, ...others.filter((id) => id !== task.id)]),
      ['Ralph-Session', session_id],
    ],
  });

/** The commit of all the work of a feature. */
export const featureMessage = (
  { title, name, tasks, last }: FeatureWork,
  template: string,
  /** Tasks of other features whose work is in the same commit. */
  others: readonly number[],
): string => {
  const ids = tasks.map(({ id }) => id);
  return commitMessage({
    title: commitSubject(template, { title, id: null, feature: name, tags: [] }),
    summary: taskList(tasks),
    trailers: [
      ['Ralph-Feature', name],
      ...taskTrailers([...ids, ...others.filter((id) => !ids.includes(id))]),
      ['Ralph-Session', last.id],
    ],
  });
};

/** A commit that holds only the feature's entry in the progress file. */
export const entryMessage = ({ title, name, tasks, last }: FeatureWork, template: string): string =>
  commitMessage({
    title: commitSubject(template, {
      title: `Record the progress of ${title}`,
      id: null,
      feature: name,
      tags: ['docs'],
    }),
    summary: taskList(tasks),
    trailers: [
      ['Ralph-Feature', name],
      ['Ralph-Progress', last.id],
    ],
  });

const taskTrailers = (ids: readonly number[]): (readonly [string, string])[] =>
  ids.map((id) => ['Ralph-Task', String(id)]);

const taskList = (tasks: FeatureWork['tasks']): string =>
  tasks.map((task) => `- ${singleLine(task.title)}`).join('\n');
