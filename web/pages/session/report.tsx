import { plainOutput } from '../../../src/domain/sessions/gate-output.ts';
import { signalText } from '../../../src/domain/sessions/signal.ts';
import type { SessionView } from '../../../src/ui/views/session.ts';
import { Text } from '../../parts/labels.tsx';
import { Gate } from '../task/gate.tsx';

/** The session's verbs, the results of its gates, and its standard error. */
export function SessionReport({ value: { session, signals, gates, errors } }: { value: SessionView }) {
  return (
    <>
      <h2>Reported</h2>
      {signals.length === 0 && <p class="aside">Nothing{session.ended === null ? ' yet' : ''}.</p>}
      <dl class="said-list">
        {signals.map((signal, index) => (
          <div key={index}>
            <dt>{signal.verb}</dt>
            <dd>
              <Text>{signalText(signal)}</Text>
            </dd>
          </div>
        ))}
      </dl>
      {gates.length > 0 && <h2>Gates</h2>}
      <ul class="gates">
        {gates.map((gate, index) => (
          // By index: a gate runs again where a finish was cut off, so names are not unique.
          <Gate key={index} gate={gate} session={session} />
        ))}
      </ul>
      {errors !== '' && (
        <>
          <h2>Standard error</h2>
          <pre>
            <Text>{plainOutput(errors)}</Text>
          </pre>
        </>
      )}
    </>
  );
}
