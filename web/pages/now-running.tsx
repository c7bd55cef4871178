import type { NowView } from '../../src/ui/views/now.ts';
import type { ProjectView } from '../../src/ui/views/project.ts';
import { Since } from '../parts/ago.tsx';
import { Empty } from '../parts/empty.tsx';
import { TaskLink } from '../parts/task-link.tsx';

type Props = { now: NowView; supervisor: ProjectView['supervisor'] };

export function Running({ now, supervisor }: Props) {
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running</h2>
      {now.running.length === 0 && <Idle now={now} supervisor={supervisor} />}
      <ul class="cards">
        {now.running.map((session) => (
          <li key={session.id} class="card in_progress">
            <p class="head">
              <TaskLink id={session.task_id} title={session.title} />
              <span class="aside">
                <a href={`/sessions/${session.id}`}>
                  {session.isAlive ? (
                    <>
                      for <Since at={session.started} />
                    </>
                  ) : (
                    'its process is gone; the next ralph run finishes it'
                  )}
                </a>
              </span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Idle({ now, supervisor }: Props) {
  if (supervisor !== null)
    return <Empty>The supervisor (process {supervisor.pid}) is between two sessions, or waits.</Empty>;
  return (
    <Empty>
      No supervisor is running.{' '}
      {now.next === null ? (
        'Nothing is ready to be worked on.'
      ) : (
        <>
          Next would be <TaskLink id={now.next.id} title={now.next.title} />. Start it: <code>ralph run</code>
        </>
      )}
    </Empty>
  );
}
