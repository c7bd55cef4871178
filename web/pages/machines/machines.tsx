import { useEffect } from 'preact/hooks';
import type { MachinesView } from '../../../src/ui/views/machines.ts';
import { At, Empty, Problem, Since, TaskLink, Text } from '../../parts/labels.tsx';
import { StopButtons } from '../../parts/stop-buttons.tsx';
import { useView } from '../../view.ts';

type Machine = MachinesView['machines'][number];
type Run = Machine['runs'][number];

/** A heartbeat is no event, so the page asks for their ages. */
const RELOAD_EVERY_MS = 5_000;

export function MachinesPage() {
  const { value, error, reload } = useView<MachinesView>('/api/machines', ({ kind }) =>
    /^(run|session)\./.test(kind),
  );
  useEffect(() => {
    const timer = setInterval(reload, RELOAD_EVERY_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <>
      <h1>Machines</h1>
      <Problem sentence={error} />
      {value?.machines.length === 0 && (
        <Empty>
          No machine is at work on this queue. Start one: <code>ralph run</code>
        </Empty>
      )}
      {value?.machines.map((machine) => (
        <MachineSection key={machine.host} machine={machine} />
      ))}
      {value !== null && value.train.length > 0 && <Train train={value.train} />}
    </>
  );
}

function MachineSection({ machine: { host, runs } }: { machine: Machine }) {
  const id = `machine-${host}`;
  return (
    <section class="machine" aria-labelledby={id}>
      <h2 id={id}>
        <Text>{host}</Text>
      </h2>
      {runs.map((run) => (
        <RunCard key={run.id} run={run} />
      ))}
    </section>
  );
}

function RunCard({ run }: { run: Run }) {
  const { id, kind, pid, started, state, lease, version, sessions, liveness, stopping } = run;
  const isAtWork = liveness === 'alive' || liveness === 'unseen';
  return (
    <article class="machine-run">
      <p>
        <a href={`/runs/${id}`}>Run {id}</a> <strong class={isAtWork ? undefined : 'blocker'}>{state}</strong>
        <span class="aside">
          {kind === 'interactive' && ' in an MCP client,'} {lease}; pid {pid}
          {version !== null && `, Ralph ${version}`}, since <At at={started} />
        </span>
      </p>
      {sessions.length > 0 && (
        <ul class="notes">
          {sessions.map(({ id: session, task_id, title, phase, started: began }) => (
            <li key={session}>
              <TaskLink id={task_id} title={title} />{' '}
              <a href={`/sessions/${session}`}>{phase ?? 'working'}</a> <Since at={began} />
            </li>
          ))}
        </ul>
      )}
      {isAtWork && kind === 'supervisor' && (
        <StopButtons run={id} stopping={stopping} sessions={sessions.length} />
      )}
    </article>
  );
}

const Train = ({ train }: { train: MachinesView['train'] }) => (
  <section aria-labelledby="train">
    <h2 id="train">Landing, one after another</h2>
    <ol>
      {train.map(({ task_id, title }) => (
        <li key={task_id}>
          <TaskLink id={task_id} title={title} />
        </li>
      ))}
    </ol>
  </section>
);
