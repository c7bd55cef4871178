import { tryText } from '../../../src/domain/tasks/tries.ts';
import { duration } from '../../../src/domain/text/amounts.ts';
import { outcomeName } from '../../../src/domain/text/run-words.ts';
import type { Stage } from '../../../src/ui/train.ts';
import type { SessionView } from '../../../src/ui/views/session.ts';
import { Ago, Empty, Since, TaskLink, Text } from '../../parts/labels.tsx';
import { StopButtons } from '../../parts/stop-buttons.tsx';
import { UsageText } from '../../parts/usage.tsx';
import { useSession } from '../../watch-session.ts';
import { CurrentAction, sessionUsage } from './current-action.tsx';
import { SessionReport } from './report.tsx';
import { Stream } from './stream.tsx';

export function SessionPage({ name }: { name: string }) {
  const { value, error } = useSession(name);
  if (value === null)
    return (
      <>
        <h1>Session</h1>
        {error !== null && (
          <Empty>
            <Text>{error}</Text> <a href="/sessions">See all sessions.</a>
          </Empty>
        )}
      </>
    );
  return (
    <>
      <SessionHead value={value} />
      {value.missing === null ? (
        <Stream value={value} />
      ) : (
        <>
          <Empty>
            <Text>{value.missing}</Text>
          </Empty>
          <SessionReport value={value} />
        </>
      )}
    </>
  );
}

function SessionHead({ value }: { value: SessionView }) {
  const { session, title, run, stopping, isAlive } = value;
  const { slot = null }: typeof session & Stage = session;
  return (
    <header class="session-head">
      <h1>
        <TaskLink id={session.task_id} title={title} />
      </h1>
      <p class="facts">
        <span>
          session <code>{session.id.slice(0, 8)}</code>, {tryText(session)}
        </span>
        <a href={`/runs/${run.id}`}>run {run.id}</a>
        {slot !== null && <span>slot {slot}</span>}
        {isAlive ? (
          <span>
            running for <Since at={session.started} />
          </span>
        ) : (
          <span>
            began <Ago at={session.started} />
            {session.ended !== null && `, took ${duration(session.ended - session.started)}`}
          </span>
        )}
        {session.ended !== null && <strong>{outcomeName(session.outcome ?? 'ended')}</strong>}
        <UsageText {...sessionUsage(value)} />
      </p>
      {session.ended === null && <CurrentAction value={value} />}
      {isAlive && run.kind === 'supervisor' && <StopButtons run={run.id} stopping={stopping} />}
    </header>
  );
}
