import { leftBehindText } from '../../../src/domain/sessions/session-state.ts';
import { activateCommand } from '../../../src/domain/tasks/feature.ts';
import { type Flag, isOpenBlocker } from '../../../src/domain/tasks/flag.ts';
import type { Status as TaskStatus } from '../../../src/domain/tasks/task.ts';
import type { Reason } from '../../../src/queue/tasks/why.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { FlagCard } from '../../parts/flag-card.tsx';
import { At, Since, Status, TaskLink, Text } from '../../parts/labels.tsx';
import { PullLink } from '../../parts/pull-link.tsx';
import { QuestionCard } from '../../parts/question-card.tsx';
import { useProject } from '../../project.ts';

/** Why no session works on the task, or which one does; and what its sessions asked and flagged. */
export function Needs({ task }: { task: TaskView }) {
  const open = task.questions.filter(({ answer }) => answer === null);
  const answered = task.questions.filter(({ answer }) => answer !== null);
  return (
    <section aria-label="State and questions" class="why">
      <ul class="reasons">
        {withoutEmptyReasons(task.reasons).map((reason) => (
          <li key={JSON.stringify(reason)}>
            <Sentence id={task.id} reason={reason} orphans={task.left_behind} />
          </li>
        ))}
        {task.more_reasons > 0 && <li class="aside">and {task.more_reasons} more like these</li>}
        {task.reasons.length === 0 && (
          <li>
            <Ready />
          </li>
        )}
        {task.archived !== null && <li>You removed it from the lists. Its history stays.</li>}
      </ul>
      <ul class="cards">
        {[...open, ...answered].map((question) => (
          <QuestionCard key={`q${question.id}`} question={question} />
        ))}
        {task.flags
          .toSorted((one, other) => rank(one) - rank(other))
          .map((flag) => (
            <FlagCard key={`f${flag.id}`} flag={flag} />
          ))}
      </ul>
    </section>
  );
}

/** Those that hold the task back come first, closed ones last. */
const rank = (flag: Flag): number => (isOpenBlocker(flag) ? 0 : flag.closed === null ? 1 : 2);

/** "It is blocked" says nothing next to the reason. */
const withoutEmptyReasons = (reasons: readonly Reason[]): readonly Reason[] =>
  reasons.filter(
    (reason) =>
      reason.kind !== 'status' ||
      reasons.length === 1 ||
      (reason.status !== 'blocked' && reason.status !== 'needs_input'),
  );

function Ready() {
  const project = useProject();
  return (
    <>
      It is ready: nothing holds it back.
      {project !== null && project.supervisor === null && (
        <>
          {' '}
          No supervisor is running; start one: <code>ralph run</code>
        </>
      )}
    </>
  );
}

type SentenceProps = { id: number; reason: Reason; orphans: readonly number[] };

function Sentence({ id, reason, orphans }: SentenceProps) {
  const state = ({ id: task_id, status }: { id: number; status: TaskStatus }) => (
    <Status word={orphans.includes(task_id) ? 'left_behind' : status} />
  );
  switch (reason.kind) {
    case 'status':
      return <StatusSentence id={id} status={reason.status} />;
    case 'running':
      return (
        <>
          <a href={`/sessions/${reason.session_id}`}>A session</a> works on it, for{' '}
          <Since at={reason.since} />.
        </>
      );
    case 'left_behind':
      return (
        <>
          <a href={`/sessions/${reason.session_id}`}>A session</a> has it.{' '}
          <Text>{leftBehindText(reason.root)}</Text>
        </>
      );
    case 'question':
      return <>It waits for the answer to Q{reason.question.id}.</>;
    case 'flag':
      return <>It waits until you have looked at F{reason.flag.id} and closed it.</>;
    case 'external':
      return (
        <>
          It is blocked. Retry it when this is resolved: <Text>{reason.blocked_by}</Text>
        </>
      );
    case 'pull':
      return (
        <>
          Its gates have passed. It waits for <PullLink pull={reason.pull} /> to be merged.
        </>
      );
    case 'time':
      return (
        <>
          It will not start before <At at={reason.not_before} />.
        </>
      );
    case 'feature':
      return (
        <>
          It waits because its feature <Text>{reason.feature}</Text> is {reason.status}. To start it:{' '}
          <code>
            <Text>{activateCommand(reason.feature)}</Text>
          </code>
        </>
      );
    case 'files':
      return (
        <>
          It is ready, but a run starts it only after <TaskLink {...reason.task} />: both change{' '}
          <Text>{reason.files.join(', ')}</Text>.
        </>
      );
    case 'dependency':
      return (
        <>
          It waits for <TaskLink {...reason.task} /> {state(reason.task)}{' '}
          {reason.task.pull !== undefined && <PullLink pull={reason.task.pull} />}
          {reason.roots.map((root, index) => (
            <>
              {index === 0 ? ', which waits for ' : ', '}
              <TaskLink {...root} /> {state(root)} {root.pull !== undefined && <PullLink pull={root.pull} />}
            </>
          ))}
        </>
      );
  }
}

/** Commands that launch an agent are typed in a terminal, so they have no button here. */
function StatusSentence({ id, status }: { id: number; status: TaskStatus }) {
  switch (status) {
    case 'draft':
      return (
        <>
          It is a draft. Approve it to queue it, or drop it. To let an agent work it out first:{' '}
          <code>ralph enrich {id}</code>
        </>
      );
    case 'done':
      return (
        <>
          It is done. To have another session look at it: <code>ralph review {id}</code>
        </>
      );
    case 'failed':
      return <>It has failed. Look at its tries, then retry it, with a note if you know more; or skip it.</>;
    case 'skipped':
      return <>It was skipped. Retry it to queue it again.</>;
    default:
      return <>It is {status.replace('_', ' ')}.</>;
  }
}
