import { duration, money, tokens } from '../../src/domain/amounts.ts';
import { modelName } from '../../src/domain/model-name.ts';
import { plural } from '../../src/domain/text.ts';
import type { SessionView } from '../../src/ui/views/session.ts';
import { Ago, Since } from '../parts/ago.tsx';
import { StopButtons } from '../parts/stop-buttons.tsx';
import { TaskLink } from '../parts/task-link.tsx';
import { Text } from '../parts/text.tsx';
import { Doing, usageOf } from './session-doing.tsx';

export function SessionHead({ value }: { value: SessionView }) {
  const { session, title, run, stopping, isAlive } = value;
  const { model, turns, input_tokens, output_tokens, cost_usd } = usageOf(value);
  return (
    <header class="session-head">
      <h1>
        <TaskLink id={session.task_id} title={title} />
      </h1>
      <p class="facts">
        <span>
          session <code>{session.id.slice(0, 8)}</code>, try {session.token}
        </span>
        <a href={`/runs/${run.id}`}>run {run.id}</a>
        {session.ended === null ? (
          <span>
            running for <Since at={session.started} />
          </span>
        ) : (
          <span>
            began <Ago at={session.started} />, took {duration(session.ended - session.started)}
          </span>
        )}
        {session.ended !== null && <strong>{(session.outcome ?? 'ended').replaceAll('_', ' ')}</strong>}
        {model !== null && (
          <span>
            <Text>{modelName(model)}</Text>
          </span>
        )}
        {turns > 0 && <span>{plural(turns, 'turn')}</span>}
        {input_tokens > 0 && (
          <span>
            {tokens(input_tokens)} tokens in, {tokens(output_tokens)} out
          </span>
        )}
        {cost_usd > 0 && <span>{money(cost_usd)}</span>}
      </p>
      {session.ended === null && <Doing value={value} />}
      {session.ended === null && isAlive && run.kind === 'supervisor' && (
        <StopButtons run={run.id} stopping={stopping} />
      )}
    </header>
  );
}
