import { firstFailure } from '../../src/domain/first-failure.ts';
import { plural } from '../../src/domain/text.ts';
import type { NowView } from '../../src/ui/views/now.ts';
import { actAndSay } from '../notice.ts';
import { Asked } from '../parts/asked.tsx';
import { Empty } from '../parts/empty.tsx';
import { Status } from '../parts/status.tsx';
import { TaskActions } from '../parts/task-actions.tsx';
import { TaskLink } from '../parts/task-link.tsx';
import { Text } from '../parts/text.tsx';
import { useIsReadOnly } from '../project.ts';

/** What only a person can move: what asks before what failed, and that before what nobody has looked at. */
export function NeedsYou({ now: { questions, needs, files } }: { now: NowView }) {
  const count = questions.length + needs.failed.length + needs.blocked.length + needs.drafts.length;
  return (
    <section aria-labelledby="needs-you" class="needs">
      <h2 id="needs-you">Needs you</h2>
      {count + files.length === 0 && <Empty>Nothing needs you.</Empty>}
      <ul class="cards">
        {questions.map((question) => (
          <Asked key={`q${question.id}`} question={question}>
            <TaskLink id={question.task_id} title={question.title} />
          </Asked>
        ))}
        {needs.failed.map((task) => (
          <Failed key={task.id} task={task} />
        ))}
        {needs.blocked.map((task) => (
          <Blocked key={task.id} task={task} />
        ))}
        {needs.drafts.length > 0 && <Drafts drafts={needs.drafts} />}
        {files.length > 0 && <Files files={files} />}
      </ul>
    </section>
  );
}

function Failed({ task }: { task: NowView['needs']['failed'][number] }) {
  const why = task.gate === null ? (task.said ?? '') : `gate ${task.gate.name}: ${firstFailure(task.gate)}`;
  return (
    <li class="card failed">
      <p class="head">
        <Status word="failed" /> <TaskLink id={task.id} title={task.title} />
        {task.holds_back.length > 0 && (
          <span class="aside">holds back {plural(task.holds_back.length, 'task')}</span>
        )}
      </p>
      <p class="said">
        <Text>{why.slice(0, 400)}</Text>
      </p>
      <TaskActions task={{ ...task, status: 'failed' }} />
    </li>
  );
}

function Blocked({ task }: { task: NowView['needs']['blocked'][number] }) {
  return (
    <li class="card blocked">
      <p class="head">
        <Status word="blocked" /> <TaskLink id={task.id} title={task.title} />
      </p>
      {task.blocked_by !== null && (
        <p class="said">
          <Text>{task.blocked_by.slice(0, 400)}</Text>
        </p>
      )}
      <TaskActions task={{ ...task, status: 'blocked' }} />
    </li>
  );
}

function Drafts({ drafts }: { drafts: NowView['needs']['drafts'] }) {
  const isReadOnly = useIsReadOnly();
  return (
    <li class="card draft">
      <p class="head">
        <Status word="draft" /> {plural(drafts.length, 'draft')} to approve
        <span class="aside">
          <a href="/tasks?status=draft">Look at all of them</a>
        </span>
      </p>
      <ul class="rows">
        {drafts.map(({ id, title }) => (
          <li key={id}>
            <TaskLink id={id} title={title} />
            {!isReadOnly && (
              <span class="buttons">
                <button type="button" onClick={() => void actAndSay('approve', { ids: [id] })}>
                  Approve
                </button>
                <button type="button" onClick={() => void actAndSay('approve', { ids: [], drop: [id] })}>
                  Drop
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

function Files({ files }: { files: NowView['files'] }) {
  const isReadOnly = useIsReadOnly();
  return (
    <li class="card">
      <p class="head">{plural(files.length, 'file')} that sessions look for again and again</p>
      <ul class="rows">
        {files.map(({ feature, path }) => (
          <li key={`${feature} ${path}`}>
            <code>
              <Text>{path}</Text>
            </code>{' '}
            <span class="aside">{feature}</span>
          </li>
        ))}
      </ul>
      {!isReadOnly && (
        <div class="buttons">
          <button type="button" onClick={() => void actAndSay('approve-files', {})}>
            Give them to every session of their feature
          </button>
        </div>
      )}
    </li>
  );
}
