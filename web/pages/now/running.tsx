import { Fragment } from 'preact';
import { elapsed, money, stopwatch, tokens, wallTime } from '../../../src/domain/text/amounts.ts';
import { modelName } from '../../../src/domain/text/text.ts';
import type { Stage } from '../../../src/ui/train.ts';
import type { NowView } from '../../../src/ui/views/now.ts';
import type { ProjectView } from '../../../src/ui/views/project.ts';
import { clock } from '../../clock.ts';
import { Empty, TaskLink, Text } from '../../parts/labels.tsx';
import { StopButtons } from '../../parts/stop-buttons.tsx';
import { useSession } from '../../watch-session.ts';
import { CurrentAction, sessionUsage } from '../session/current-action.tsx';

type Props = { now: NowView; supervisor: ProjectView['supervisor'] };

export function Running({ now, supervisor }: Props) {
  const isFleet = now.supervisors.length > 1;
  const groups = now.supervisors
    .map((run) => ({
      ...run,
      host: isFleet ? run.host : null,
      sessions: now.running.filter(({ isAlive, run_id }) => isAlive && run_id === run.id),
    }))
    .filter(({ sessions }) => sessions.length > 0);
  const others = now.running.filter((session) => groups.every(({ sessions }) => !sessions.includes(session)));
  const followed = groups[0]?.sessions[0];
  return (
    <section aria-labelledby="running">
      <h2 id="running">Running</h2>
      {now.parked
        .filter(({ until }) => until === null || until > clock.value)
        .map(({ agent, until, text }) => (
          <p key={agent}>
            ⏸ <Text>{text ?? agent}</Text>
            {text === null && ` has reached its usage limit, until ${wallTime(until ?? 0)}.`}
          </p>
        ))}
      {groups.length === 0 && <Idle now={now} supervisor={supervisor} />}
      {isFleet && now.train.length > 1 && (
        <div class="card together">
          <Train train={now.train} />
        </div>
      )}
      {groups.map((group) => (
        <Fragment key={group.id}>
          {group.sessions.length > 1 && <Together group={group} train={now.train} isFleet={isFleet} />}
          <Cards {...group} isTogether={group.sessions.length > 1} now={now} followed={followed} />
        </Fragment>
      ))}
      <Cards sessions={others} host={null} isTogether={false} now={now} followed={followed} />
    </section>
  );
}

/** `host`: null where all runs are on one machine. */
type Group = NowView['supervisors'][number] & { sessions: NowView['running'] };

/** What holds for all sessions of a run: the order in which they land, and how to stop them. Machines of a fleet share one order. */
function Together({ group, train, isFleet }: { group: Group; train: NowView['train']; isFleet: boolean }) {
  const { id, host, stopping, sessions } = group;
  const landing = train.filter(({ task_id }) => sessions.some((session) => session.task_id === task_id));
  return (
    <div class="card together">
      <p class="head">
        {host !== null && (
          <>
            <Text>{host}</Text>:{' '}
          </>
        )}
        {sessions.length - landing.length} at work{landing.length > 0 && `, ${landing.length} landing`}
      </p>
      {!isFleet && train.length > 1 && <Train train={train} />}
      <StopButtons run={id} stopping={stopping} sessions={sessions.length} />
    </div>
  );
}

function Train({ train }: { train: NowView['train'] }) {
  return (
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
  );
}

type CardsProps = Pick<Group, 'sessions' | 'host'> & {
  /** Whether what stops them stands above. */
  isTogether: boolean;
  now: NowView;
  followed: NowView['running'][number] | undefined;
};

function Cards({ sessions, host, isTogether, now, followed }: CardsProps) {
  if (sessions.length === 0) return null;
  return (
    <ul class="cards">
      {sessions.map((session) => (
        <Card
          key={session.id}
          session={session}
          host={host}
          isFollowed={session === followed}
          isAlone={!isTogether}
          after={now.train.find(({ task_id }) => task_id === session.task_id)?.after ?? []}
        />
      ))}
    </ul>
  );
}

type CardProps = {
  session: NowView['running'][number];
  host: string | null;
  isFollowed: boolean;
  /** No other session of its run is at work, so what stops the run stands here. */
  isAlone: boolean;
  after: readonly number[];
};

function Card({ session, host, isFollowed, isAlone, after }: CardProps) {
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
  if (!isAlone) facts.unshift(...stageFacts(session));
  else if (host !== null) facts.unshift(host);
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

const stageFacts = ({ slot, phase }: Stage): string[] => [
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
        <StopButtons
          run={supervisor.id}
          stopping={now.supervisors.find(({ id }) => id === supervisor.id)?.stopping ?? null}
          sessions={0}
        />
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
