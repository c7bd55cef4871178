import { Fragment } from 'preact';
import { leftBehindText } from '../../../src/domain/sessions/session-state.ts';
import { duration, moneyIfKnown } from '../../../src/domain/text/amounts.ts';
import type { TaskRow } from '../../../src/ui/views/tasks.ts';
import { clock } from '../../clock.ts';
import {
  At,
  DisciplineName,
  FeatureName,
  Since,
  Tag,
  TaskLink,
  TaskStatus,
  Text,
} from '../../parts/labels.tsx';
import { stageText } from '../../parts/stage.ts';
import type { Selection } from './rows.ts';

type Props = {
  tasks: readonly TaskRow[];
  selection: Selection;
  /** Null where nothing may be changed. */
  edit: ((id: number) => void) | null;
};

export function TaskTable({ tasks, selection, edit }: Props) {
  const areAll = selection.ids.length === tasks.length;
  return (
    <table>
      <thead>
        <tr>
          {edit !== null && (
            <th class="pick">
              <input
                type="checkbox"
                aria-label="Select all on this page"
                checked={areAll}
                indeterminate={selection.ids.length > 0 && !areAll}
                onInput={() => selection.set(areAll ? [] : tasks.map(({ id }) => id))}
              />
            </th>
          )}
          <th>State</th>
          <th>Task</th>
          <th>Feature</th>
          <th>Discipline</th>
          <th>Priority</th>
          <th class="number">Tries</th>
          <th class="number">Cost</th>
          <th class="number">Time</th>
          {edit !== null && (
            <th>
              <span class="unseen">Edit</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <Row key={task.id} task={task} selection={selection} edit={edit} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ task, selection, edit }: Omit<Props, 'tasks'> & { task: TaskRow }) {
  const { id, title, feature, priority, tries, cost_usd, duration_ms } = task;
  const isSelected = selection.ids.includes(id);
  return (
    <tr data-task={id} class={isSelected ? 'picked' : undefined}>
      {edit !== null && (
        <td class="pick">
          <input
            type="checkbox"
            aria-label={`Select #${id}`}
            checked={isSelected}
            onInput={() => selection.toggle(id)}
          />
        </td>
      )}
      <td class="state">
        <TaskStatus task={task} isLeftBehind={task.session?.isAlive === false} />
      </td>
      <td class="what">
        <TaskLink id={id} title={title} />
        {task.tags.map((tag) => (
          <Fragment key={tag}>
            {' '}
            <Tag name={tag} />
          </Fragment>
        ))}
        <WaitingNote task={task} />
      </td>
      <td>{feature !== null && <FeatureName name={feature} />}</td>
      <td>
        <DisciplineName name={task.discipline} />
      </td>
      <td class={priority}>{priority}</td>
      <td class="number">
        {tries > 0 && (
          <>
            {tries}
            <span class="unit"> {tries === 1 ? 'try' : 'tries'}</span>
          </>
        )}
      </td>
      <td class="number">{tries > 0 && moneyIfKnown(cost_usd)}</td>
      <td class="number">{tries > 0 && duration(duration_ms)}</td>
      {edit !== null && (
        <td class="edit">
          {/* No tab stop: Tab goes from task to task, and the row has a key to edit it. */}
          <button
            type="button"
            class="quiet"
            tabIndex={-1}
            aria-label={`Edit #${id}`}
            onClick={() => edit(id)}
          >
            Edit
          </button>
        </td>
      )}
    </tr>
  );
}

/** Why the task does not start, or which session runs it. */
function WaitingNote({ task }: { task: TaskRow }) {
  const {
    status,
    open_blockers,
    waits_for,
    feature_status,
    not_before,
    blocked_by,
    question,
    flag,
    session,
  } = task;
  const dependencies = open_blockers - (feature_status === null ? 0 : 1);
  const isLater = status === 'pending' && not_before !== null && not_before > clock.value;
  return (
    <span class="held">
      {session !== null && (
        <a href={`/sessions/${session.id}`}>
          {session.isAlive ? (
            <>
              running for <Since at={session.started} />
              {session.stage !== null && stageText(session.stage)}
            </>
          ) : (
            <Text>{leftBehindText(session.root)}</Text>
          )}
        </a>
      )}
      {question !== null && (
        <span>
          asks Q{question.id}: <Text>{question.question}</Text>
        </span>
      )}
      {flag !== null && (
        <span>
          flagged F{flag.id}: <Text>{flag.text}</Text>
        </span>
      )}
      {blocked_by !== null && (
        <span>
          blocked by <Text>{blocked_by}</Text>
        </span>
      )}
      {waits_for.length > 0 && (
        <span>
          waits for
          {waits_for.map((id) => (
            <Fragment key={id}>
              {' '}
              <a href={`/tasks/${id}`}>#{id}</a>
            </Fragment>
          ))}
          {dependencies > waits_for.length && ` and ${dependencies - waits_for.length} more`}
        </span>
      )}
      {feature_status !== null && <span>its feature is {feature_status}</span>}
      {isLater && (
        <span>
          not before <At at={not_before} />
        </span>
      )}
    </span>
  );
}
