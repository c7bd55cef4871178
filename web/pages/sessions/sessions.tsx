import { duration, moneyIfKnown } from '../../../src/domain/text/amounts.ts';
import { modelName, plural } from '../../../src/domain/text/text.ts';
import type { SessionsView } from '../../../src/ui/views/session.ts';
import { currentUrl, go, withQuery } from '../../navigation.ts';
import { Ago, Empty, Problem, SessionState, Since, TaskLink, Text } from '../../parts/labels.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useView } from '../../view.ts';

const FILTERS = ['run', 'task', 'open', 'from'];

export function SessionsPage() {
  const params = currentUrl.value.searchParams;
  const query = new URLSearchParams(
    FILTERS.flatMap((name) => {
      const word = params.get(name) ?? '';
      return word === '' ? [] : [[name, word]];
    }),
  );
  const { value, error } = useView<SessionsView>(
    `/api/sessions?${query}`,
    ({ kind }) => kind.startsWith('session.') || kind.startsWith('run.') || kind === 'task.edited',
  );
  const isFiltered = ['run', 'task', 'open'].some((name) => query.has(name));
  return (
    <>
      <h1>Sessions</h1>
      <Filter />
      <Problem sentence={error} />
      {value?.total === 0 && (
        <Empty>
          {isFiltered ? (
            <>
              No session matches. <a href="/sessions">See all sessions.</a>
            </>
          ) : (
            <>
              No sessions yet; <code>ralph run</code> works on the queue.
            </>
          )}
        </Empty>
      )}
      {value !== null && value.total > 0 && (
        <>
          <Table sessions={value.sessions} />
          <Pages value={value} from={Number(query.get('from') ?? 0)} />
        </>
      )}
    </>
  );
}

function Filter() {
  const params = currentUrl.value.searchParams;
  const set = (name: string, word: string) => go(withQuery({ [name]: word, from: '' }), { replace: true });
  return (
    <search class="filter">
      {(['task', 'run'] as const).map((name) => (
        <label key={name}>
          {name}{' '}
          <input
            inputMode="numeric"
            size={6}
            placeholder="any"
            value={params.get(name) ?? ''}
            onChange={({ currentTarget: { value } }) => set(name, value.replace(/^#/, '').trim())}
          />
        </label>
      ))}
      <label>
        <input
          type="checkbox"
          checked={params.get('open') === '1'}
          onChange={({ currentTarget: { checked } }) => set('open', checked ? '1' : '')}
        />{' '}
        running only
      </label>
    </search>
  );
}

function Table({ sessions }: Pick<SessionsView, 'sessions'>) {
  return (
    <table class="sessions">
      <thead>
        <tr>
          {['Session', 'Task', 'Outcome', 'Model'].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          {['Turns', 'Cost', 'Took', 'Run', 'Began'].map((title) => (
            <th key={title} scope="col" class="number">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <SessionLine key={session.id} session={session} />
        ))}
      </tbody>
    </table>
  );
}

function SessionLine({ session }: { session: SessionsView['sessions'][number] }) {
  const { id, task_id, title, usage, run_id, started, ended, isAlive } = session;
  return (
    <tr>
      <td>
        <a href={`/sessions/${id}`}>
          <code>{id.slice(0, 8)}</code>
        </a>
      </td>
      <td class="task">
        <TaskLink id={task_id} title={title} />
      </td>
      <td>
        <SessionState session={session} isAlive={isAlive} />
      </td>
      <td>
        <Text>{modelName(usage.model ?? '-')}</Text>
      </td>
      <td class="number" data-name="turns">
        {usage.turns > 0 ? usage.turns : '-'}
      </td>
      <td class="number">{moneyIfKnown(usage.cost_usd)}</td>
      <td class="number">{ended === null ? isAlive && <Since at={started} /> : duration(ended - started)}</td>
      <td class="number" data-name="run">
        <a href={`/runs/${run_id}`}>{run_id}</a>
      </td>
      <td class="number">
        <Ago at={started} />
      </td>
    </tr>
  );
}

function Pages({ value: { sessions, total, page }, from }: { value: SessionsView; from: number }) {
  const to = (offset: number) => withQuery({ from: offset <= 0 ? '' : String(offset) });
  if (total <= page) return <p class="aside">{plural(total, 'session')}</p>;
  const last = from + sessions.length;
  return (
    <Pager
      label="Pages of sessions"
      before={from > 0 ? { name: 'Newer', href: to(from - page) } : null}
      after={last < total ? { name: 'Older', href: to(from + page) } : null}
    >
      <span class="aside">
        {from + 1} to {last} of {total}
      </span>
    </Pager>
  );
}
