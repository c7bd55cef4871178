import { type NextAgent, nextAgent, nextAgentText } from '../../../app/next-agent.ts';
import { withProject } from '../../../app/open-project.ts';
import { waitsForPull } from '../../../domain/pull-requests/pull-request.ts';
import { leftBehindText } from '../../../domain/sessions/session-state.ts';
import { activateCommand } from '../../../domain/tasks/feature.ts';
import { stateName } from '../../../domain/tasks/status.ts';
import { localTime } from '../../../domain/text/amounts.ts';
import { isAlive } from '../../../host/processes/process-identity.ts';
import { getTask } from '../../../queue/tasks/list.ts';
import { type Reason, type Why, why as whyWaiting } from '../../../queue/tasks/why.ts';
import { oneLine } from '../../../text/terminal/style.ts';
import { defineCommand } from '../../command.ts';
import { taskId } from '../../parse.ts';

export const why = defineCommand<[id: number]>({
  name: 'why',
  summary: 'say why a task is waiting',
  group: 'Look',
  args: [taskId()],
  examples: ['ralph why 7'],
  run: (context, [id]) =>
    withProject(context, async ({ queue, root }) => {
      const found = await whyWaiting(queue, id, isAlive);
      const agent = await nextAgent({ queue, root }, await getTask(queue, id));
      return { json: { ...found, next_agent: agent }, text: whyText(found, agent) };
    }),
});

function whyText({ id, title, ready, reasons }: Why, agent: NextAgent | null): string {
  const isFree = ready && reasons.length === 0 && (agent?.parked ?? null) === null;
  const sentences = isFree ? ['is ready: nothing holds it back.'] : reasons.map((one) => sentence(id, one));
  const worker =
    agent === null ? [] : [`gets the agent ${oneLine(nextAgentText(agent)).replace(/(?<!\.|\))$/, '.')}`];
  return [`#${id} ${oneLine(title)}`, ...[...sentences, ...worker].map((line) => `  ${line}`)].join('\n');
}

function sentence(id: number, reason: Reason): string {
  switch (reason.kind) {
    case 'running':
      return `is being worked on by session ${reason.session_id} since ${localTime(reason.since)}.`;
    case 'left_behind':
      return `is held by session ${reason.session_id}. ${oneLine(leftBehindText(reason.root))}`;
    case 'question':
      return `asks Q${reason.question.id}: ${oneLine(reason.question.question)}  ralph answer ${reason.question.id} "..."`;
    case 'flag':
      return `flagged F${reason.flag.id}: ${oneLine(reason.flag.text)}  ralph flag close ${reason.flag.id} --note "..."`;
    case 'external':
      return `is blocked by ${oneLine(reason.blocked_by)}; when that is dealt with: ralph retry ${id}`;
    case 'pull':
      return `waits for ${oneLine(waitsForPull(reason.pull))} to be merged.`;
    case 'time':
      return `is not to be started before ${localTime(reason.not_before)}.`;
    case 'feature':
      return `waits because its feature ${oneLine(reason.feature)} is ${reason.status}; to start it: ${oneLine(activateCommand(reason.feature))}`;
    case 'dependency': {
      const { task, roots } = reason;
      const state = ({ status, pull }: typeof task): string =>
        pull === undefined ? stateName(status) : `waits for ${oneLine(waitsForPull(pull))}`;
      const behind = roots.map((root) => `#${root.id} (${state(root)})`).join(', ');
      return `waits for #${task.id} ${oneLine(task.title)} (${state(task)})${behind === '' ? '' : `, which waits for ${behind}`}.`;
    }
    case 'labels': {
      const labels = reason.needs.map(oneLine).join(',');
      return `is ready, but needs a run with the labels ${labels}: ralph run --labels ${labels}.`;
    }
    case 'files':
      return `is ready, but a run starts it only after #${reason.task.id} ${oneLine(reason.task.title)}: both change ${reason.files.map(oneLine).join(', ')}.`;
    case 'status':
      return STATUS_SENTENCES[reason.status]?.(id) ?? `is ${stateName(reason.status)}.`;
  }
}

const STATUS_SENTENCES: Partial<Record<string, (id: number) => string>> = {
  draft: (id) => `is a draft; ralph approve ${id} queues it.`,
  failed: (id) => `has failed; ralph show ${id} says how, ralph retry ${id} queues it again.`,
  skipped: (id) => `was skipped; ralph retry ${id} queues it again.`,
  done: () => 'is done.',
};
