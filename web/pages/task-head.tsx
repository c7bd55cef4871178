import { money } from '../../src/domain/amounts.ts';
import { statusWord } from '../../src/domain/status-word.ts';
import { plural } from '../../src/domain/text.ts';
import type { TaskView } from '../../src/ui/views/task.ts';
import { clock } from '../clock.ts';
import { Ago } from '../parts/ago.tsx';
import { Status } from '../parts/status.tsx';
import { TaskActions } from '../parts/task-actions.tsx';
import { Text } from '../parts/text.tsx';
import { useProject } from '../project.ts';

export function Head({ task }: { task: TaskView }) {
  const { status, open_blockers, not_before } = task;
  return (
    <header class="task-head">
      <h1>
        <span class="id">#{task.id}</span> <Text>{task.title}</Text>
      </h1>
      <TaskActions task={task} hasKeys />
      <ul class="facts">
        <li>
          <Status
            word={statusWord(status, open_blockers, not_before, not_before === null ? 0 : clock.value)}
          />
        </li>
        {task.feature !== null && (
          <li>
            <a href={`/knowledge?feature=${encodeURIComponent(task.feature)}`}>
              <Text>{task.feature}</Text>
            </a>
          </li>
        )}
        {task.discipline !== null && <Discipline name={task.discipline} />}
        <li>{task.priority} priority</li>
        {task.model !== null && (
          <li>
            wants <Text>{task.model}</Text>
          </li>
        )}
        {task.tries > 0 && (
          <li>
            {task.tries === 1 ? '1 try' : `${task.tries} tries`}
            {task.cost_usd > 0 && `, ${money(task.cost_usd)}`}
          </li>
        )}
        {task.stuck_count > 0 && <li>stuck {plural(task.stuck_count, 'time')}</li>}
        <li>
          added <Ago at={task.created} /> by {AUTHORS[task.provenance]}
        </li>
        {task.completed !== null && (
          <li>
            done <Ago at={task.completed} />
          </li>
        )}
        {task.tags.map((tag) => (
          <li key={tag} class="tag">
            <Text>{tag}</Text>
          </li>
        ))}
      </ul>
    </header>
  );
}

export const AUTHORS = { human: 'a person', agent: 'an agent', system: 'Ralph' } as const;

function Discipline({ name }: { name: string }) {
  const found = useProject()?.disciplines.find((one) => one.name === name);
  return (
    <li>
      {found?.color && <span class="dot" aria-hidden="true" style={{ backgroundColor: found.color }} />}
      <Text>{found?.display_name ?? name}</Text>
    </li>
  );
}
