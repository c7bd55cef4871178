import type { Status, Task } from '../domain/tasks/task.ts';
import { line, quotedSpan, under } from '../domain/text/markdown.ts';
import type { Queue } from '../queue/queue.ts';
import { list as listTasks } from '../queue/tasks/list.ts';
import { status } from '../queue/tasks/status.ts';
import { type WaitingOn, waitingOn } from '../queue/tasks/waiting-on.ts';
import { taskTitle } from '../recipes/quoted.ts';
import { questionLine } from './questions.ts';
import type { ResourceFamily } from './resource.ts';

const MAX_SHOWN = 20;

const PARTS: readonly [Status, string][] = [
  ['in_progress', 'Being worked on'],
  ['failed', 'Failed: a person must look'],
  ['needs_input', 'Waiting for an answer'],
  ['blocked', 'Blocked'],
  ['pending', 'Pending'],
  ['draft', 'Drafts: waiting for approval'],
];

export const queueResource: ResourceFamily = {
  name: 'queue',
  title: 'Queue',
  description: 'How the queue stands: what is next, what runs, what waits and for what',
  uri: 'ralph://queue',
  read: async ({ queue }) => {
    const { counts, next, questions } = await status(queue);
    const parts: (string | null)[] = [];
    for (const [name, heading] of PARTS)
      if (counts[name] > 0) parts.push(await part(queue, name, heading, counts[name]));
    return {
      text: `${under(
        '# Queue',
        Object.entries(counts)
          .filter(([, count]) => count > 0)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ') || 'There are no tasks yet.',
        next === null ? 'Nothing is ready.' : `Next: #${next.id} ${taskTitle(next)}`,
        questions.length === 0
          ? null
          : `## Open questions\n\n${questions.slice(0, MAX_SHOWN).map(questionLine).join('\n')}`,
        ...parts,
      )}\n`,
    };
  },
  isChangedBy: ({ kind }) => /^(task|dependency|question|flag|feature)\./.test(kind),
};

async function part(queue: Queue, name: Status, heading: string, count: number): Promise<string> {
  const tasks = await listTasks(queue, { status: name, limit: MAX_SHOWN });
  const waits = await waitingOn(queue, tasks, () => true);
  const more = count > tasks.length ? [`- and ${count - tasks.length} more`] : [];
  return `## ${heading}\n\n${[...tasks.map((task) => taskLine(task, waits.get(task.id))), ...more].join('\n')}`;
}

const NOTHING = { waits_for: [], feature_status: null, flag: null };

function taskLine(
  { id, title, provenance, priority, feature, blocked_by }: Task,
  { waits_for, feature_status, flag }: Pick<WaitingOn, 'waits_for' | 'feature_status' | 'flag'> = NOTHING,
): string {
  const facts = [
    priority,
    ...(feature === null ? [] : [line(feature)]),
    ...(waits_for.length > 0 ? [`waits for ${waits_for.map((one) => `#${one}`).join(' ')}`] : []),
    ...(feature_status === null ? [] : [`its feature is ${feature_status}`]),
    ...(flag === null ? [] : [`waits for flag ${flag.id}`]),
    ...(blocked_by === null ? [] : [`blocked by ${quotedSpan(blocked_by)}`]),
  ];
  return `- #${id} ${taskTitle({ title, provenance })} (${facts.join(', ')})`;
}
