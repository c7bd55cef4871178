import { costText, duration, money, moneyIfKnown, tokens } from '../../../src/domain/text/amounts.ts';
import { stopReason } from '../../../src/domain/text/run-words.ts';
import type { RunsView } from '../../../src/ui/views/runs.ts';
import { currentUrl, withQuery } from '../../navigation.ts';
import { At, Empty, Problem, Since, Spans, Text } from '../../parts/labels.tsx';
import { useView } from '../../view.ts';

type Run = RunsView['runs'][number];

export function RunsPage() {
  const { value, error } = useView<RunsView>(`/api/runs${currentUrl.value.search}`, ({ kind }) =>
    /^(run|session)\./.test(kind),
  );
  return (
    <>
      <h1>Runs</h1>
      <Problem sentence={error} />
      {value !== null && <RunList value={value} />}
    </>
  );
}

function RunList({ value }: { value: RunsView }) {
  const oldest = Math.min(...value.runs.map(({ id }) => id));
  return (
    <>
      {value.runs.length === 0 ? (
        <Empty>
          There are no runs to show. Start one: <code>ralph run</code>
        </Empty>
      ) : (
        <>
          <Costs runs={value.runs} />
          <Table runs={value.runs} />
        </>
      )}
      <p class="buttons">
        {currentUrl.value.searchParams.has('before') && <a href="/runs">Latest runs</a>}
        {value.more && <a href={withQuery({ before: String(oldest) })}>Earlier runs</a>}
      </p>
    </>
  );
}

const Table = ({ runs }: { runs: readonly Run[] }) => (
  <div class="wide">
    <table class="runs">
      <thead>
        <tr>
          <th>Run</th>
          <th>Began</th>
          <th>Why it stopped</th>
          <th class="number">Time</th>
          <th class="number">Sessions</th>
          <th class="number">Done</th>
          <th class="number">Cost</th>
          <th class="number">Tokens</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </tbody>
    </table>
  </div>
);

function Row({ run }: { run: Run }) {
  const { id, kind, started, ended, isRunning, sessions, done } = run;
  return (
    <tr class={isRunning ? 'running' : undefined}>
      <td>
        <a href={`/runs/${id}`}>Run {id}</a>
      </td>
      <td>
        <At at={started} />
      </td>
      <td>
        <Spans>{stopReason(run, isRunning)}</Spans>
        {kind === 'interactive' && <span class="aside"> In an MCP client.</span>}
        {run.host !== null && run.host !== undefined && (
          <span class="aside">
            {' '}
            On <Text>{run.host}</Text>.
          </span>
        )}
      </td>
      <td class="number">
        {ended !== null ? duration(ended - started) : isRunning ? <Since at={started} /> : '-'}
      </td>
      <td class="number">{sessions}</td>
      <td class="number">{done}</td>
      <td class="number">{moneyIfKnown(run.cost_usd)}</td>
      <td class="number">{tokens(run.input_tokens + run.output_tokens)}</td>
    </tr>
  );
}

/** The cost of each run, the latest on the right. The table below says the same in numbers. */
function Costs({ runs }: { runs: readonly Run[] }) {
  const spent = runs.filter(({ cost_usd }) => cost_usd > 0).sort((one, other) => one.id - other.id);
  if (spent.length < 2) return null;
  const most = Math.max(...spent.map(({ cost_usd }) => cost_usd));
  const all = spent.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return (
    <figure class="costs">
      <div class="bars" aria-hidden="true">
        {spent.map(({ id, cost_usd }) => (
          <span key={id} title={`Run ${id}: ${costText(cost_usd)}`}>
            <span style={{ height: `${(100 * cost_usd) / most}%` }} />
          </span>
        ))}
      </div>
      <figcaption>
        {money(all)} in {spent.length} runs, at most {money(most)} in one
      </figcaption>
    </figure>
  );
}
