import { plainOutput } from '../../../src/domain/sessions/gate-output.ts';
import { signalText } from '../../../src/domain/sessions/signal.ts';
import type { SessionView } from '../../../src/ui/views/session.ts';
import { Text } from '../../parts/labels.tsx';
import { Gate } from '../task/gate.tsx';

/** What it reported, how its work was checked, and what it complained of. */
export function SessionReport({ value: { session, signals, gates, errors } }: { value: SessionView }) {
  return (
    <>
      <h2>Said</h2>
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
          // One runs again where a finish was cut off.
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
