// Writes the backlog as a Markdown checklist: by feature, subtasks below their parent. A mark behind each box lets an import
// find the task again.
import {
  type BacklogFormat,
  type BacklogSnapshot,
  rankedFeatures,
} from '../../../domain/exchange/backlog.ts';
import { TASK_DEFAULTS, type Task } from '../../../domain/tasks/task.ts';
import { visible } from '../../../domain/text/text.ts';
import { readBacklog } from '../import/index.ts';

export const markdownFormat: BacklogFormat = {
  source: 'markdown',
  preferredId: ({ id }) => String(id),
  format,
  read: (text, file) => readBacklog(text, file, 'markdown'),
};

function format(snapshot: BacklogSnapshot): string {
  const { title, description, features, tasks } = snapshot;
  const done = tasks.filter(({ status }) => status === 'done').length;
  const parts = [
    `# ${line(title ?? 'Plan')}`,
    quoted(description),
    `${done} of ${tasks.length} done.`,
    items(snapshot, null),
    ...rankedFeatures(features).flatMap((feature) => [
      `## ${line(feature.display_name ?? feature.name)} <!-- ralph:${feature.name} -->`,
      quoted(feature.description),
      items(snapshot, feature.name),
    ]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function items(snapshot: BacklogSnapshot, feature: string | null): string {
  const tasks = snapshot.tasks.filter((task) => task.feature === feature);
  const ids = new Set(tasks.map(({ id }) => id));
  const written = new Set<number>();
  const lines: string[] = [];
  const write = (task: Task, depth: number): void => {
    if (written.has(task.id)) return;
    written.add(task.id);
    lines.push(...itemLines(task, snapshot).map((text) => `${'  '.repeat(depth)}${text}`.trimEnd()));
    for (const part of tasks) if (part.parent === task.id) write(part, depth + 1);
  };
  for (const task of tasks) if (task.parent === null || !ids.has(task.parent)) write(task, 0);
  // Tasks in a cycle of parents have no root, so the loop above misses them.
  for (const task of tasks) write(task, 0);
  return lines.join('\n');
}

const BOXES: Partial<Record<Task['status'], string>> = { done: 'x', skipped: '-' };

function itemLines(task: Task, { taskId: idOf }: BacklogSnapshot): string[] {
  const { id, title, status, description, acceptance_criteria } = task;
  const criteria = acceptance_criteria.map((criterion) => `- ${line(criterion)}`).join('\n');
  const text = quoted([description, criteria].filter(Boolean).join('\n\n'));
  const facts = taskFacts(task);
  return [
    `- [${BOXES[status] ?? ' '}] #${id} ${line(title)} <!-- ralph:${escapeMark(idOf(id))} -->`,
    ...(facts === '' ? [] : [`  *${facts}*`]),
    ...(text === '' ? [] : ['', ...text.split('\n').map((one) => `  ${one}`), '']),
  ];
}

/** Escapes an id that came from another tool: a `-->` in it would end the comment. */
const escapeMark = (id: string): string => id.replace(/[<>%]/g, encodeURIComponent);

function taskFacts(task: Task): string {
  const { status, open_blockers, priority, discipline, depends_on, blocked_by } = task;
  const state = status === 'pending' ? (open_blockers > 0 ? 'waiting' : 'ready') : status.replace('_', ' ');
  return [
    ...(status === 'done' ? [] : [state]),
    ...(blocked_by === null ? [] : [line(blocked_by)]),
    ...(priority === TASK_DEFAULTS.priority ? [] : [priority]),
    ...(discipline === null ? [] : [discipline]),
    ...(depends_on.length === 0 ? [] : [`after ${depends_on.map((id) => `#${id}`).join(', ')}`]),
  ].join(' · ');
}

const line = (text: string): string => visible(text).replace(/\s+/g, ' ').trim();

/** Quoted, so that no line of it reads as a heading, a box or the end of a list. */
const quoted = (text: string | null): string =>
  text === null || text.trim() === ''
    ? ''
    : visible(text)
        .split('\n')
        .map((one) => `> ${one}`.trimEnd())
        .join('\n');
