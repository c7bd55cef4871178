import type { LiveEvent } from '../../../src/ui/live.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { Empty, Text } from '../../parts/labels.tsx';
import { useView, type ViewState } from '../../view.ts';
import { About } from './about.tsx';
import { Comments } from './comments.tsx';
import { Head } from './head.tsx';
import { Needs } from './needs.tsx';
import { NextPrompt } from './prompt.tsx';
import { ReceiptCard } from './receipt.tsx';
import { Timeline } from './timeline.tsx';
import { Tries } from './tries.tsx';

export function TaskPage({ name }: { name: string }) {
  const shown: ViewState<TaskView> = useView<TaskView>(`/api/tasks/${name}`, (event) =>
    concerns(shown.value, event),
  );
  const { value: task, error } = shown;
  if (task === null)
    return (
      <>
        <h1>Task {name}</h1>
        {error !== null && (
          <Empty>
            <Text>{error}</Text> <a href="/tasks">Look at all tasks.</a>
          </Empty>
        )}
      </>
    );
  return (
    <div class="task-page">
      <Head task={task} />
      <Needs task={task} />
      <About task={task} />
      <div class="work">
        {task.receipt !== null && <ReceiptCard receipt={task.receipt} given={task.given} />}
        <Timeline task={task} />
        <Tries task={task} />
        <Comments task={task} />
        <NextPrompt id={task.id} />
      </div>
    </div>
  );
}

/** True for events of the task, and of those it is shown with: whether it waits depends on them. */
function concerns(task: TaskView | null, { task_id }: LiveEvent): boolean {
  if (task === null || task_id === null || task_id === task.id) return true;
  const { links, reasons } = task;
  const roots = reasons.flatMap((reason) => (reason.kind === 'dependency' ? reason.roots : []));
  return [...links.depends_on.tasks, ...links.dependents.tasks, ...roots].some(({ id }) => id === task_id);
}
