import { duration } from '../../src/domain/amounts.ts';
import { signalText } from '../../src/domain/signal.ts';
import type { SessionView } from '../../src/ui/views/session.ts';
import { Text } from '../parts/text.tsx';

/** What it reported, how its work was checked, and what it complained of. */
export function About({ value: { session, signals, gates, errors } }: { value: SessionView }) {
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
      {gates.map(({ name, passed, required, duration_ms, tail }) => (
        <div key={name}>
          <p>
            <span class={`status ${passed ? 'done' : 'failed'}`}>
              {passed ? '✓' : '✗'} <Text>{name}</Text>
            </span>{' '}
            {passed ? 'passed' : 'failed'}, {duration(duration_ms)}
            {!required && ', not required'}
          </p>
          {tail !== '' && (
            <pre>
              <Text>{tail}</Text>
            </pre>
          )}
        </div>
      ))}
      {errors !== '' && (
        <>
          <h2>Standard error</h2>
          <pre>
            <Text>{errors}</Text>
          </pre>
        </>
      )}
    </>
  );
}
