import { sessionState } from '../../../src/domain/sessions/session-state.ts';
import { signalText } from '../../../src/domain/sessions/signal.ts';
import { isTry, triesText } from '../../../src/domain/tasks/tries.ts';
import { duration } from '../../../src/domain/text/amounts.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { Ago, Empty, SessionState, Since } from '../../parts/labels.tsx';
import { Disclosure, LongText } from '../../parts/long-text.tsx';
import { UsageText } from '../../parts/usage.tsx';
import { Gate } from './gate.tsx';
import { SessionPrompt } from './prompt.tsx';

/** Newest first. */
export function Tries({ task: { history } }: { task: TaskView }) {
  const before = (history.at(-1)?.session.try ?? 1) - 1;
  return (
    <section aria-labelledby="tries">
      <h2 id="tries">Tries</h2>
      {history.length === 0 && <Empty>No session has worked on it yet.</Empty>}
      <ol class="cards" reversed>
        {history.map((one) => (
          <Try key={one.session.id} entry={one} />
        ))}
      </ol>
      {before > 0 && <p class="aside">and {triesText(before)} before these</p>}
    </section>
  );
}

function Try({ entry }: { entry: TaskView['history'][number] }) {
  const { session, gates, signals, isAlive, end_text } = entry;
  const { id, started, ended, end } = session;
  const { state } = sessionState(session, isAlive);
  return (
    <li class={`card ${state}`}>
      <p class="head">
        <strong>{isTry(session) ? `Try ${session.try}` : 'Not counted'}</strong>
        <SessionState session={session} isAlive={isAlive} />
        <span class="spent">
          <UsageText {...session.usage} />
          {isAlive && (
            <span>
              <Since at={started} />
            </span>
          )}
          {ended !== null && <span>{duration(ended - started)}</span>}
        </span>
        <span class="aside">
          <Ago at={ended ?? started} /> <a href={`/sessions/${id}`}>What it did</a>
        </span>
      </p>
      {signals.length > 0 && (
        <dl class="verbs">
          {signals.map(({ id: signal_id, signal }) => (
            <div key={signal_id}>
              <dt>{signal.verb}</dt>
              <dd>
                <LongText text={signalText(signal)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {end !== null && end.kind !== 'exited' && <p>In the end {end_text}.</p>}
      {gates.length > 0 && (
        <ul class="gates">
          {gates.map((gate) => (
            <Gate key={gate.name} gate={gate} session={session} />
          ))}
        </ul>
      )}
      <Disclosure summary="The prompt it got">{() => <SessionPrompt session={session} />}</Disclosure>
    </li>
  );
}
