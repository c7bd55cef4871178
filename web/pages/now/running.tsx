import { elapsed, money, stopwatch, tokens, wallTime } from '../../../src/domain/text/amounts.ts';
import { modelName } from '../../../src/domain/text/text.ts';
import type { NowView } from '../../../src/ui/views/now.ts';
import type { ProjectView } from '../../../src/ui/views/project.ts';
import { clock } from '../../clock.ts';
import { Empty, TaskLink, Text } from '../../parts/labels.tsx';
import { StopButtons } from '../../parts/stop-buttons.tsx';
import { useSession } from '../../watch-session.ts';
import { CurrentAction, sessionUsage } from '../session/current-action.tsx';

type Props = { now: NowView; supervisor: ProjectView['supervisor'] };

export function Running({ now, supervisor }: Props) {
  const followed = now.running.find(({ isAlive, run_id }) => isAlive && run_id === supervisor?.id);
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running</h2>
      {followed === undefined && <Idle now={now} supervisor={supervisor} />}
      <ul class="cards">
        {now.running.map((session) => (
          <Card key={session.id} session={session} isFollowed={session === followed} />
        ))}
      </ul>
    </section>
  );
}

function Card({ session, isFollowed }: { session: NowView['running'][number]; isFollowed: boolean }) {
  const { value } = useSession(session.id, isFollowed);
  const facts = session.isAlive ? [stopwatch(clock.value - session.started)] : [];
  if (value !== null) {
    const { limits } = value;
    const { model, turns, input_tokens, cost_usd } = sessionUsage(value);
    if (limits !== null) facts.unshift(`try ${value.session.try}/${limits.most_tries}`);
    if (turns > 0) facts.push(`turn ${turns}${limits === null ? '' : `/${limits.max_turns}`}`);
    if (model !== null) facts.push(modelName(model));
    if (input_tokens > 0) facts.push(`${tokens(input_tokens)} tokens`);
    if (cost_usd > 0) facts.push(money(cost_usd));
  }
  return (
    <li class={`card ${session.isAlive ? 'in_progress' : 'left_behind'}`}>
      <p class="head">
        <TaskLink id={session.task_id} title={session.title} />
        <span class="aside facts">
          {facts.map((fact) => (
            <Text key={fact}>{fact}</Text>
          ))}
          <a href={`/sessions/${session.id}`}>Watch it</a>
        </span>
      </p>
      {value !== null && <CurrentAction value={value} />}
      {value?.isAlive && value.run.kind === 'supervisor' && (
        <StopButtons run={value.run.id} stopping={value.stopping} />
      )}
    </li>
  );
}

function Idle({ now, supervisor }: Props) {
  if (supervisor !== null)
    return (
      <div class="card">
        <p>
          {now.waiting_until === null || now.waiting_until <= clock.value ? (
            <>The supervisor (process {supervisor.pid}) is between two sessions.</>
          ) : (
            <>
              ⏸ Waiting until {wallTime(now.waiting_until)}, {elapsed(now.waiting_until - clock.value)} left.
            </>
          )}
        </p>
        <StopButtons run={supervisor.id} stopping={now.stopping} isIdle />
      </div>
    );
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
