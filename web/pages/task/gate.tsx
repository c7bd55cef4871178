import { useState } from 'preact/hooks';
import { plainOutput } from '../../../src/domain/sessions/gate-output.ts';
import type { Session } from '../../../src/domain/sessions/session.ts';
import { type NumberedTry, tryText } from '../../../src/domain/tasks/tries.ts';
import { duration } from '../../../src/domain/text/amounts.ts';
import { visible } from '../../../src/domain/text/text.ts';
import type { GateLogView, ShownGate } from '../../../src/ui/views/gates.ts';
import { GateName, Problem, Text } from '../../parts/labels.tsx';
import { Disclosure, ScrollBox } from '../../parts/long-text.tsx';
import { useView } from '../../view.ts';

type Run = { gate: ShownGate; session: Pick<NumberedTry<Session>, 'id' | 'try' | 'outcome'> };

export function Gate({ gate, session }: Run) {
  const { name, command, passed, required, was_red, flaky, exit_code, duration_ms, tail, log } = gate;
  const [isWhole, setWhole] = useState(tail === '');
  return (
    <li class="gate">
      <p class="head">
        <GateName gate={gate}>{passed ? ' passed' : ' failed'}</GateName>
        {!required && <span class="aside">not required</span>}
        {was_red && <span class="aside">was red before this try</span>}
        {flaky && <span class="aside">flaky: red first, on the same files</span>}
        <span class="aside">{exit_code === null ? 'no exit code' : `exit code ${exit_code}`}</span>
        <span class="number aside">{duration(duration_ms)}</span>
        <code>
          <Text>{command}</Text>
        </code>
      </p>
      {!passed && (
        <p class="first">
          <Text>{gate.failure.slice(0, 400)}</Text>
        </p>
      )}
      {(tail !== '' || log !== null) && (
        <Disclosure
          summary={
            <>
              Output of <Text>{name}</Text>
            </>
          }
        >
          {() => (
            <>
              {isWhole ? (
                <WholeLog gate={gate} session={session} />
              ) : (
                <Output label={outputLabel({ gate, session })} text={tail} />
              )}
              {!isWhole && log !== null && (
                <button type="button" onClick={() => setWhole(true)}>
                  Show the whole log
                </button>
              )}
            </>
          )}
        </Disclosure>
      )}
    </li>
  );
}

function WholeLog({ gate, session }: Run) {
  const path = `/api/sessions/${session.id}/gate?name=${encodeURIComponent(gate.name)}`;
  const { value: log, error } = useView<GateLogView>(path, () => false);
  if (log === null) return <Problem sentence={error} />;
  return (
    <>
      {!log.isWhole && (
        <p class="aside">The last part of {Math.ceil(log.bytes / 1024).toLocaleString()} KB:</p>
      )}
      {log.text === '' ? (
        <p class="aside">It printed nothing.</p>
      ) : (
        <Output label={outputLabel({ gate, session })} text={log.text} />
      )}
    </>
  );
}

const outputLabel = ({ gate, session }: Run): string =>
  `Output of ${visible(gate.name)}, ${tryText(session)}`;

const Output = ({ label, text }: { label: string; text: string }) => (
  <ScrollBox label={label}>
    <pre>
      <Text>{plainOutput(text)}</Text>
    </pre>
  </ScrollBox>
);
