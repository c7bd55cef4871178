import type { ComponentChildren } from 'preact';
import type { LinkedTasks } from '../../../src/queue/tasks/task-page.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { TaskLink, TaskStatus, Text } from '../../parts/labels.tsx';
import { LongText } from '../../parts/long-text.tsx';

/** What the task asks for. */
export function About({ task }: { task: TaskView }) {
  const { links, left_behind: orphans } = task;
  return (
    <div class="about">
      <Part title="Description">{task.description !== null && <LongText text={task.description} />}</Part>
      <Part title="Acceptance criteria">{list(task.acceptance_criteria, 'criteria')}</Part>
      <Part title="Depends on">{linked(links.depends_on, orphans)}</Part>
      <Part title="Needed by">{linked(links.dependents, orphans)}</Part>
      <Part title="Part of">
        {links.parent !== null && linked({ tasks: [links.parent], more: 0 }, orphans)}
      </Part>
      <Part title="Expected output">{list(task.output_artifacts, 'paths')}</Part>
      <Part title="Context files">{list(task.context_files, 'paths')}</Part>
      <Part title="Hints">{task.hints !== null && <LongText text={task.hints} />}</Part>
      <Part title="Pseudocode">
        {task.pseudocode !== null && (
          <pre>
            <Text>{task.pseudocode}</Text>
          </pre>
        )}
      </Part>
      <Part title="Imported from">
        {list(
          task.references.map(({ source, board, id }) =>
            board === source ? `${source} ${id}` : `${source} ${id} (${board})`,
          ),
          'paths',
        )}
      </Part>
    </div>
  );
}

/** Empty without children, so that the heading vanishes too. */
const Part = ({ title, children }: { title: string; children: ComponentChildren }) =>
  children ? (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  ) : null;

const list = (items: readonly string[], kind: 'criteria' | 'paths') =>
  items.length > 0 && (
    <ul class={kind}>
      {items.map((item, index) => (
        <li key={`${index} ${item}`}>
          <Text>{item}</Text>
        </li>
      ))}
    </ul>
  );

const linked = ({ tasks, more }: LinkedTasks, orphans: readonly number[]) =>
  tasks.length > 0 && (
    <ul class="rows">
      {tasks.map((task) => (
        <li key={task.id}>
          <TaskLink {...task} /> <TaskStatus task={task} isLeftBehind={orphans.includes(task.id)} />
        </li>
      ))}
      {more > 0 && <li class="aside">and {more} more</li>}
    </ul>
  );
