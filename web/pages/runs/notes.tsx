import type { ComponentChildren } from 'preact';
import { flakyRate } from '../../../src/domain/sessions/gate.ts';
import type { RunView } from '../../../src/ui/views/runs.ts';
import { Text } from '../../parts/labels.tsx';

/** What a run brought besides its tasks. Empty sections are left out. */
export function RunNotes({ view }: { view: RunView }) {
  const { failed_gates, flaky_gates, questions, flags, learnings, suggestions } = view;
  return (
    <>
      <Notes title="Gates that failed" items={failed_gates}>
        {({ task_id, session_id, name, required, exit_code, line }) => (
          <>
            <TaskNumber task={task_id} />
            <strong>
              <Text>{name}</Text>
            </strong>{' '}
            ({exit_code === null ? 'no exit code' : `exit code ${exit_code}`}
            {!required && ', not required'}): <Text>{line}</Text>{' '}
            <a href={`/sessions/${session_id}`}>session</a>
          </>
        )}
      </Notes>
      <Notes title="Flaky gates" items={flaky_gates}>
        {(gate) => (
          <>
            <strong>
              <Text>{gate.name}</Text>
            </strong>
            : {flakyRate(gate)}
          </>
        )}
      </Notes>
      <Notes title="Questions" items={questions}>
        {({ id, task_id, question, answer, dismissed, blocking }) => (
          <>
            <TaskNumber task={task_id} />
            <strong>Q{id}</strong> <Text>{question}</Text>{' '}
            {answer === null && dismissed !== null && 'dismissed'}
            {answer === null && dismissed === null && (
              <a href={`/tasks/${task_id}`}>open{blocking && ', its task waits'}</a>
            )}
            {answer !== null && (
              <>
                <strong>Answer:</strong> <Text>{answer}</Text>
              </>
            )}
          </>
        )}
      </Notes>
      <Notes title="Flags" items={flags}>
        {({ task_id, severity, category, what }) => (
          <>
            <TaskNumber task={task_id} />
            <strong class={severity}>{severity}</strong> {words(category)}: <Text>{what}</Text>
          </>
        )}
      </Notes>
      <Notes title="Learned" items={learnings}>
        {({ task_id, category, body, reason }) => (
          <>
            {task_id !== null && <TaskNumber task={task_id} />}
            {words(category)}: <Text>{body}</Text>
            <Because reason={reason} />
          </>
        )}
      </Notes>
      <Notes title="Suggested" items={suggestions}>
        {({ task_id, kind, what, why }) => (
          <>
            <TaskNumber task={task_id} />
            {words(kind)}: <Text>{what}</Text>
            <Because reason={why} />
          </>
        )}
      </Notes>
    </>
  );
}

type NotesProps<T> = { title: string; items: readonly T[]; children: (item: T) => ComponentChildren };

function Notes<T>({ title, items, children }: NotesProps<T>) {
  if (items.length === 0) return null;
  const id = `notes-${title.replaceAll(' ', '-').toLowerCase()}`;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <ul class="notes">
        {items.map((item, index) => (
          <li key={index}>{children(item)}</li>
        ))}
      </ul>
    </section>
  );
}

const TaskNumber = ({ task }: { task: number }) => (
  <>
    <a href={`/tasks/${task}`}>#{task}</a>{' '}
  </>
);

const words = (name: string): string => name.replaceAll('_', ' ');

const Because = ({ reason }: { reason: string | null }) =>
  reason === null || reason === '' ? null : (
    <span class="aside">
      {' '}
      (why: <Text>{reason}</Text>)
    </span>
  );
