import { useState } from 'preact/hooks';
import { AUTHOR_NAMES } from '../../../src/domain/tasks/task.ts';
import { triesText } from '../../../src/domain/tasks/tries.ts';
import { money } from '../../../src/domain/text/amounts.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { Ago, DisciplineName, FeatureName, Tag, TaskStatus, Text } from '../../parts/labels.tsx';
import { TaskActions } from '../../parts/task-actions.tsx';
import { TaskForm } from '../../parts/task-form.tsx';

export function Head({ task }: { task: TaskView }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <header class="task-head">
      <h1>
        <span class="id">#{task.id}</span> <Text>{task.title}</Text>
      </h1>
      <TaskActions
        task={task}
        onEdit={() => setEditing(true)}
        isPlain={task.status === 'blocked' && task.pull_request?.state === 'open'}
      />
      {isEditing && <TaskForm task={task} onClose={() => setEditing(false)} />}
      <ul class="facts">
        <li>
          <TaskStatus task={task} isLeftBehind={task.left_behind.includes(task.id)} />
        </li>
        {task.feature !== null && (
          <li>
            <a href={`/knowledge?feature=${encodeURIComponent(task.feature)}`}>
              <FeatureName name={task.feature} />
            </a>
          </li>
        )}
        {task.discipline !== null && (
          <li>
            <DisciplineName name={task.discipline} />
          </li>
        )}
        <li>{task.priority} priority</li>
        {task.agent !== null && (
          <li>
            agent <Text>{task.agent}</Text>
          </li>
        )}
        {task.model !== null && (
          <li>
            model <Text>{task.model}</Text>
          </li>
        )}
        {task.effort !== null && <li>{task.effort} effort</li>}
        {task.estimated_turns !== null && <li>{plural(task.estimated_turns, 'turn')} estimated</li>}
        {task.tries > 0 && (
          <li>
            {triesText(task.tries)}
            {task.cost_usd > 0 && `, ${money(task.cost_usd)}`}
          </li>
        )}
        {task.stuck_count > 0 && <li>stuck {plural(task.stuck_count, 'time')}</li>}
        <li>
          added <Ago at={task.created} /> by {AUTHOR_NAMES[task.provenance]}
        </li>
        {task.enriched_at !== null && (
          <li>
            enriched <Ago at={task.enriched_at} />
          </li>
        )}
        {task.completed !== null && (
          <li>
            done <Ago at={task.completed} />
          </li>
        )}
        {task.needs.length > 0 && <li>needs {task.needs.join(', ')}</li>}
        {task.tags.map((tag) => (
          <li key={tag}>
            <Tag name={tag} />
          </li>
        ))}
      </ul>
    </header>
  );
}
