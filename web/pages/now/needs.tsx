import { activateCommand } from '../../../src/domain/tasks/feature.ts';
import { isOpenBlocker } from '../../../src/domain/tasks/flag.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { NowView } from '../../../src/ui/views/now.ts';
import { withQuery } from '../../navigation.ts';
import { actAndNotify } from '../../notice.tsx';
import { ApproveAll } from '../../parts/approve-all.tsx';
import { FlagCard } from '../../parts/flag-card.tsx';
import { Empty, Status, TaskLink, Text } from '../../parts/labels.tsx';
import { PullLink } from '../../parts/pull-link.tsx';
import { QuestionCard } from '../../parts/question-card.tsx';
import { TaskActions } from '../../parts/task-actions.tsx';
import { useIsReadOnly } from '../../project.ts';
import { DefinitionsCard } from './definitions-card.tsx';

/** What only a person can move: questions and flags first, then failures and blocks, then drafts and files to approve. */
export function NeedsYou({ now }: { now: NowView }) {
  const { questions, questions_before, flags, needs, files, definitions, more } = now;
  const asked = questions.filter(({ blocking }) => blocking);
  const flagged = flags.filter(isOpenBlocker);
  const tasks = needs.failed.length + needs.blocked.length + needs.drafts.length;
  const count = asked.length + flagged.length + tasks + definitions.length;
  return (
    <section aria-labelledby="needs-you" class="needs">
      <h2 id="needs-you">Needs you</h2>
      {count + files.length + questions_before === 0 && <Empty>Nothing needs you.</Empty>}
      <ul class="cards">
        {questions_before > 0 && (
          <li class="aside">
            after <a href="/">{plural(questions_before, 'other question')}</a>
          </li>
        )}
        <Questions questions={asked} />
        <Flags flags={flagged} />
        {more.questions > 0 && (
          <li class="aside">
            and{' '}
            <a href={withQuery({ from: String(questions_before + questions.length) })}>
              {plural(more.questions, 'more question')}
            </a>
          </li>
        )}
        {definitions.map((proposal) => (
          <DefinitionsCard key={proposal.name} proposal={proposal} />
        ))}
        {needs.failed.map((task) => (
          <Failed key={task.id} task={task} />
        ))}
        <More count={more.failed} status="failed" />
        {needs.blocked.map((task) => (
          <Blocked key={task.id} task={task} />
        ))}
        <More count={more.blocked} status="blocked" />
        {needs.drafts.length > 0 && <Drafts drafts={needs.drafts} more={more.drafts} />}
        {files.length > 0 && <Files files={files} more={more.files} />}
      </ul>
    </section>
  );
}

/** What no task waits for, until the person settles it; and features on hold. */
export function ForLater({ now: { questions, flags, needs, more } }: { now: NowView }) {
  const asked = questions.filter(({ blocking }) => !blocking);
  const flagged = flags.filter((flag) => !isOpenBlocker(flag));
  if (asked.length + flagged.length + more.flags + needs.on_hold.length === 0) return null;
  return (
    <section aria-labelledby="for-later" class="needs">
      <h2 id="for-later">For later</h2>
      <ul class="cards">
        <Questions questions={asked} />
        <Flags flags={flagged} />
        {more.flags > 0 && (
          <li class="aside">
            and {more.flags} more flagged: <code>ralph flag list</code>
          </li>
        )}
        {needs.on_hold.map((hold) => (
          <Held key={hold.feature} hold={hold} />
        ))}
      </ul>
    </section>
  );
}

const Questions = ({ questions }: Pick<NowView, 'questions'>) => (
  <>
    {questions.map((question) => (
      <QuestionCard key={`q${question.id}`} question={question}>
        <TaskLink id={question.task_id} title={question.title} />
      </QuestionCard>
    ))}
  </>
);

const Flags = ({ flags }: Pick<NowView, 'flags'>) => (
  <>
    {flags.map((flag) => (
      <FlagCard key={`f${flag.id}`} flag={flag}>
        <TaskLink id={flag.task_id} title={flag.title} />
      </FlagCard>
    ))}
  </>
);

function Failed({ task }: { task: NowView['needs']['failed'][number] }) {
  return (
    <li class="card failed">
      <p class="head">
        <Status word="failed" /> <TaskLink id={task.id} title={task.title} />
        {task.holds_back.length > 0 && (
          <span class="aside">holds back {plural(task.holds_back.length, 'task')}</span>
        )}
      </p>
      <p class="said">
        <Text>{task.why.slice(0, 400)}</Text>
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
      {task.pull !== null ? (
        <p>
          Its gates have passed. It waits for <PullLink pull={task.pull} /> to be merged.
        </p>
      ) : (
        task.blocked_by !== null && (
          <p class="said">
            <Text>{task.blocked_by.slice(0, 400)}</Text>
          </p>
        )
      )}
      <TaskActions task={{ ...task, status: 'blocked' }} isPlain={task.pull !== null} />
    </li>
  );
}

const Held = ({ hold: { feature, status } }: { hold: NowView['needs']['on_hold'][number] }) => (
  <li class="card">
    <p>
      The tasks of <Text>{feature}</Text> wait, because it is {status}.
    </p>
    <p class="aside">
      To start them:{' '}
      <code>
        <Text>{activateCommand(feature)}</Text>
      </code>
    </p>
  </li>
);

/** Links to the tasks that are not shown here. */
const More = ({ count, status }: { count: number; status: 'failed' | 'blocked' }) =>
  count === 0 ? null : (
    <li class="aside">
      and{' '}
      <a href={`/tasks?status=${status}`}>
        {count} more {status}
      </a>
    </li>
  );

function Drafts({ drafts, more }: { drafts: NowView['needs']['drafts']; more: number }) {
  const isReadOnly = useIsReadOnly();
  const count = drafts.length + more;
  return (
    <li class="card draft">
      <p class="head">
        <Status word="draft" /> {plural(count, 'draft')} to approve
        <span class="aside">
          <a href="/tasks?status=draft">Look at all of them</a>
        </span>
      </p>
      {!isReadOnly && count > 1 && (
        <div class="buttons">
          <ApproveAll count={count} />
        </div>
      )}
      <ul class="rows">
        {drafts.map((draft) => (
          <li key={draft.id}>
            <TaskLink {...draft} />
            <TaskActions task={{ ...draft, status: 'draft' }} isPlain />
          </li>
        ))}
        {more > 0 && <li class="aside">and {more} more</li>}
      </ul>
    </li>
  );
}

function Files({ files, more }: { files: NowView['files']; more: number }) {
  const isReadOnly = useIsReadOnly();
  return (
    <li class="card">
      <p class="head">{plural(files.length + more, 'file')} that sessions look for again and again</p>
      <ul class="rows">
        {files.map(({ feature, path }) => (
          <li key={`${feature} ${path}`}>
            <code>
              <Text>{path}</Text>
            </code>{' '}
            <span class="aside">
              <Text>{feature}</Text>
            </span>
          </li>
        ))}
        {more > 0 && <li class="aside">and {more} more</li>}
      </ul>
      {!isReadOnly && (
        <div class="buttons">
          <button type="button" onClick={() => void actAndNotify('approve-files', {})}>
            Add them to every prompt of their feature
          </button>
        </div>
      )}
    </li>
  );
}
