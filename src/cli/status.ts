import { basename } from 'node:path';
import { isAlive } from '../host/process-identity.ts';
import { type QueueStatus, status as queueStatus } from '../queue/status.ts';
import { defineCommand } from './command.ts';
import { withProject } from './project.ts';
import { oneLine, timeOf } from './style.ts';

export const status = defineCommand<[]>({
  name: 'status',
  summary: 'show how the queue stands and what needs you',
  group: 'Look',
  examples: ['ralph status', 'ralph status --json'],
  run: (context) =>
    withProject(context, async ({ root, stateDir, queue }) => {
      const found = await queueStatus(queue);
      const runs = found.runs.filter(isAlive);
      const project = found.title ?? basename(root);
      return {
        json: { project, root, state: stateDir, ...found, runs },
        text: statusText({ ...found, runs }, project, stateDir),
      };
    }),
});

function statusText(
  { counts, next, due, questions, runs }: QueueStatus,
  project: string,
  stateDir: string,
): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  const lines = [
    `${oneLine(project)}  ${shown.map(([name, count]) => `${count} ${name}`).join('  ')}${shown.length > 0 ? `  of ${total}` : 'no tasks yet'}`,
    ...runs.map(({ pid, started }) => `running      pid ${pid} since ${timeOf(started)}`),
    `next         ${nextText({ counts, next, due })}`,
    ...questions.map(
      ({ id, task_id, question }) => `? Q${id} #${task_id}   ${oneLine(question)}   ralph answer ${id} "..."`,
    ),
    `state        ${stateDir}`,
  ];
  return lines.join('\n');
}

function nextText({ counts, next, due }: Pick<QueueStatus, 'counts' | 'next' | 'due'>): string {
  if (next !== null) return `#${next.id} ${oneLine(next.title)}`;
  if (due !== null) return `nothing before ${timeOf(due)} UTC`;
  if (counts.failed > 0) return 'nothing is ready; ralph list --status failed';
  if (counts.draft > 0) return 'nothing is ready; ralph list --status draft, then ralph approve';
  return 'nothing is ready';
}
