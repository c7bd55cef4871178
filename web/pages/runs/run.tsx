import { STATUS_SYMBOLS } from '../../../src/domain/tasks/status.ts';
import { duration, moneyIfKnown, tokens } from '../../../src/domain/text/amounts.ts';
import {
  outcomeText,
  type ParallelTotals,
  parallelText,
  stopReason,
  totalsText,
} from '../../../src/domain/text/run-words.ts';
import type { RunView } from '../../../src/ui/views/runs.ts';
import { read } from '../../api.ts';
import { showNotice } from '../../notice.tsx';
import { At, Empty, Problem, Since, Spans, TaskLink, Text } from '../../parts/labels.tsx';
import { errorSentence, useView, type ViewState } from '../../view.ts';
import { RunNotes } from './notes.tsx';

export function RunPage({ name }: { name: string }) {
  const shown: ViewState<RunView> = useView(
    `/api/runs/${name}`,
    ({ run_id, task_id }) =>
      run_id === Number(name) || shown.value?.tasks.some(({ id }) => id === task_id) === true,
  );
  const { value, error } = shown;
  return (
    <>
      <div class="run-head">
        <h1>Run {name}</h1>
        {value !== null && (
          <button type="button" onClick={() => void download(name)}>
            Download the report as one HTML file
          </button>
        )}
      </div>
      <Problem sentence={error} />
      {value !== null && <RunResult view={value} />}
    </>
  );
}

/** A request with the token, which a plain link could not send. */
async function download(id: string): Promise<void> {
  try {
    const page = new Blob([await read<string>(`/api/runs/${id}/report`)], { type: 'text/html' });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(page);
    link.download = `ralph-run-${id}.html`;
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    showNotice(errorSentence(error), true);
  }
}

function RunResult({ view }: { view: RunView }) {
  const { run, isRunning, tasks } = view;
  const { kind, started, ended } = run;
  return (
    <>
      <p>
        <Spans>{stopReason(run, isRunning)}</Spans>{' '}
        <span class="aside">
          Started <At at={started} />
          {ended !== null && `, ${duration(ended - started)}`}
          {isRunning && (
            <>
              , <Since at={started} /> so far
            </>
          )}
          {kind === 'interactive' && ', in an MCP client'}
        </span>
      </p>
      {tasks.length === 0 ? (
        <Empty>It had no session.</Empty>
      ) : (
        <>
          <Tiles facts={totalsText(view.totals, view.planning)} />
          <Tasks view={view} />
          <ParallelWork view={view} />
        </>
      )}
      <RunNotes view={view} />
    </>
  );
}

const Tiles = ({ facts }: { facts: ReturnType<typeof totalsText> }) => (
  <dl class="tiles">
    {facts.map(([about, amount]) => (
      <div key={about}>
        <dt>{about}</dt>
        <dd>{amount}</dd>
      </div>
    ))}
  </dl>
);

type WithParallel = Pick<RunView, 'run'> & { parallel?: ParallelTotals | null };

function ParallelWork({ view: { parallel } }: { view: WithParallel }) {
  const facts = parallelText(parallel);
  return facts.length === 0 ? null : (
    <section aria-labelledby="parallel">
      <h2 id="parallel">Parallel work</h2>
      <Tiles facts={facts} />
    </section>
  );
}

const Tasks = ({ view: { tasks } }: { view: RunView }) => (
  <section aria-labelledby="tasks">
    <h2 id="tasks">Tasks</h2>
    <div class="wide">
      <table class="run-tasks">
        <thead>
          <tr>
            <th>Task</th>
            <th>Outcome</th>
            <th class="number">Tries</th>
            <th class="number">Time</th>
            <th class="number">Cost</th>
            <th class="number">Tokens</th>
            <th class="number">Gates</th>
            <th>Commit</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.id}>
              <td>
                <TaskLink id={task.id} title={task.title} />
              </td>
              <td class={`status ${task.status}`}>
                <span aria-hidden="true">{STATUS_SYMBOLS[task.status]}</span> <Text>{outcomeText(task)}</Text>
              </td>
              <td class="number">{task.tries}</td>
              <td class="number">{duration(task.duration_ms)}</td>
              <td class="number">{moneyIfKnown(task.cost_usd)}</td>
              <td class="number">{tokens(task.input_tokens + task.output_tokens)}</td>
              <td class="number">
                {task.gates.total === 0 ? '-' : `${task.gates.passed}/${task.gates.total}`}
              </td>
              <td>{task.commit === null ? '-' : <code>{task.commit.slice(0, 7)}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);
