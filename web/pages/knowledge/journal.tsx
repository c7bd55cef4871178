import { tryText } from '../../../src/domain/tasks/tries.ts';
import { costText, duration } from '../../../src/domain/text/amounts.ts';
import { outcomeName } from '../../../src/domain/text/run-words.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { JournalView } from '../../../src/ui/views/knowledge.ts';
import { Ago, Empty, Problem, TaskLink, Text } from '../../parts/labels.tsx';
import { Disclosure } from '../../parts/long-text.tsx';
import { useView } from '../../view.ts';

/** Read only when a person opens it: it may be long. */
export const Journal = ({ feature }: { feature: string | null }) => (
  <div class="journal">
    <Disclosure
      summary={
        <>
          <h3>Journal</h3> <span class="aside">what its last sessions did</span>
        </>
      }
    >
      {() => <Entries feature={feature} />}
    </Disclosure>
  </div>
);

function Entries({ feature }: { feature: string | null }) {
  const query = feature === null ? '' : `?${new URLSearchParams({ feature })}`;
  const { value, error } = useView<JournalView>(
    `/api/journal${query}`,
    // Ralph writes the line of a session while the next one begins, or before the run ends.
    ({ kind }) => kind.startsWith('session.') || kind === 'run.ended',
  );
  return (
    <>
      <Problem sentence={error} />
      {value?.problems.map((problem) => (
        <Problem key={problem} sentence={problem} />
      ))}
      {value?.entries.length === 0 && <Empty>No session of it has ended yet.</Empty>}
      <ul class="cards">
        {value?.entries.map((entry) => (
          <Entry key={entry.session} entry={entry} />
        ))}
      </ul>
      {value !== null && value.left_out > 0 && (
        <p class="aside">
          {plural(value.left_out, 'earlier session')}: <code>ralph log --feature {feature ?? 'NAME'}</code>
        </p>
      )}
    </>
  );
}

const MAX_FILES = 8;

function Entry({ entry }: { entry: JournalView['entries'][number] }) {
  const [started, ended] = [Date.parse(entry.started), Date.parse(entry.ended)];
  const files = entry.files.slice(0, MAX_FILES).join(', ');
  const more = entry.files.length > MAX_FILES ? `, and ${entry.files.length - MAX_FILES} more` : '';
  return (
    <li class="card">
      <p class="head">
        <TaskLink id={entry.task} title={entry.title} />
        <a class="aside" href={`/sessions/${encodeURIComponent(entry.session)}`}>
          <Text>{outcomeName(entry.outcome)}</Text>, {tryText(entry)}, {duration(ended - started)},{' '}
          {plural(entry.turns, 'turn')}, {costText(entry.cost_usd)}, <Ago at={ended} />
        </a>
      </p>
      {entry.summary !== null && (
        <p class="said">
          <Text>{entry.summary}</Text>
        </p>
      )}
      {files !== '' && (
        <p class="aside">
          wrote <Text>{files + more}</Text>
        </p>
      )}
    </li>
  );
}
