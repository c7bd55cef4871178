import { elapsed, money, stopwatch, tokens, wallTime } from '../../../src/domain/text/amounts.ts';
import { modelName } from '../../../src/domain/text/text.ts';
import type { Lane } from '../../../src/ui/train.ts';
import type { NowView } from '../../../src/ui/views/now.ts';
import type { ProjectView } from '../../../src/ui/views/project.ts';
import { clock } from '../../clock.ts';
import { Empty, TaskLink, Text } from '../../parts/labels.tsx';
import { StopButtons } from '../../parts/stop-buttons.tsx';
import { useSession } from '../../watch-session.ts';
import { CurrentAction, sessionUsage } from '../session/current-action.tsx';

type Props = { now: NowView; supervisor: ProjectView['supervisor'] };

export function Running({ now, supervisor }: Props) {
  const own = now.running.filter(({ isAlive, run_id }) => isAlive && run_id === supervisor?.id);
  const [followed] = own;
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running</h2>
      {now.parked
        .filter(({ until }) => until > clock.value)
        .map(({ agent, until }) => (
          <p key={agent}>
            ⏸ <Text>{agent}</Text> has reached its usage limit, until {wallTime(until)}.
          </p>
        ))}
      {followed === undefined && <Idle now={now} supervisor={supervisor} />}
      {supervisor !== null && own.length > 1 && (
        <Together now={now} run={supervisor.id} sessions={own.length} />
      )}
      <ul class="cards">
        {now.running.map((session) => (
          <Card
            key={session.id}
            session={session}
            isFollowed={session === followed}
            isAlone={own.length < 2 || !own.includes(session)}
            after={now.train.find(({ task_id }) => task_id === session.task_id)?.after ?? []}
          />
        ))}
      </ul>
    </section>
  );
}

/** What holds for all sessions of the run: the order in which they land, and how to stop them. */
function Together({ now, run, sessions }: { now: NowView; run: number; sessions: number }) {
  const { train, stopping } = now;
  return (
    <div class="card together">
      <p class="head">
        {sessions - train.length} at work{train.length > 0 && `, ${train.length} landing`}
      </p>
      {train.length > 1 && (
        <ol class="train" aria-label="Landing, in this order">
          {train.map(({ task_id, title, after }) => (
            <li key={task_id}>
              <TaskLink id={task_id} title={title} />{' '}
              <span class="aside">
                {after.length === 0 ? 'lands now' : `waits for ${after.map((id) => `#${id}`).join(' ')}`}
              </span>
            </li>
          ))}
        </ol>
      )}
      <StopButtons run={run} stopping={stopping} sessions={sessions} />
    </div>
  );
}

type CardProps = {
  session: NowView['running'][number];
  isFollowed: boolean;
  /** No other session of its run is at work, so what stops the run stands here. */
  isAlone: boolean;
  after: readonly number[];
};

function Card({ session, isFollowed, isAlone, after }: CardProps) {
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
  if (!isAlone) facts.unshift(...laneFacts(session));
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
      {value !== null && <CurrentAction value={value} after={after} />}
      {isAlone && value?.isAlive && value.run.kind === 'supervisor' && (
        <StopButtons run={value.run.id} stopping={value.stopping} />
      )}
    </li>
  );
}

const laneFacts = ({ slot, phase }: Lane): string[] => [
  ...(slot == null ? [] : [`slot ${slot}`]),
  ...(phase == null ? [] : [phase]),
];

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
        <StopButtons run={supervisor.id} stopping={now.stopping} sessions={0} />
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
