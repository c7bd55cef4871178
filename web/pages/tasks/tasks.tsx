import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { Task } from '../../../src/domain/tasks/task.ts';
import { plural } from '../../../src/domain/text/text.ts';
import type { TasksView } from '../../../src/ui/views/tasks.ts';
import { read } from '../../api.ts';
import { useKeys } from '../../keys.tsx';
import { currentUrl, withQuery } from '../../navigation.ts';
import { showNotice } from '../../notice.tsx';
import { ApproveAll } from '../../parts/approve-all.tsx';
import { Empty, Problem } from '../../parts/labels.tsx';
import { Pager } from '../../parts/pager.tsx';
import { TaskForm } from '../../parts/task-form.tsx';
import { useIsReadOnly } from '../../project.ts';
import { errorSentence, useView } from '../../view.ts';
import { TaskBulk } from './bulk.tsx';
import { FILTERS, focusFilter, TaskFilters } from './filters.tsx';
import { useRows, useSelection } from './rows.ts';
import { TaskTable } from './table.tsx';

export function TasksPage() {
  const { searchParams } = currentUrl.value;
  const query = new URLSearchParams(
    [...FILTERS, 'page'].flatMap((name) =>
      searchParams.has(name) ? [[name, searchParams.get(name) ?? '']] : [],
    ),
  );
  const page = Number(query.get('page') ?? 1);
  const path = `/api/tasks?${query}`;
  const { value, error } = useView<TasksView>(path);
  // The last list stays until the one for another filter has been read.
  const last = useRef(value);
  if (value !== null) last.current = value;
  const shown = last.current;

  const isReadOnly = useIsReadOnly();
  const [editing, setEditing] = useState<Task | null>(null);
  const selection = useSelection(path, shown?.tasks.map(({ id }) => id) ?? []);
  const edit = (id: number): void =>
    void read<Task>(`/api/tasks/${id}/fields`).then(setEditing, (refused) =>
      showNotice(errorSentence(refused), true),
    );

  const drafts = isReadOnly || value === null ? null : draftsFilter(query);

  const rows = useRows(path);
  useKeys([
    { keys: '/', does: 'filter by text', run: focusFilter },
    ...['j', 'ArrowDown'].map((keys) => ({ keys, does: 'go to the next task', run: () => rows.move(1) })),
    ...['k', 'ArrowUp'].map((keys) => ({ keys, does: 'go to the previous task', run: () => rows.move(-1) })),
    { keys: 'Enter', does: 'open the task', run: () => rows.open() },
    ...(isReadOnly
      ? []
      : [
          { keys: 'x', does: 'select the task', run: () => rows.withFocused(selection.toggle) },
          { keys: 'e', does: 'edit the task', run: () => rows.withFocused(edit) },
        ]),
    {
      keys: 'Escape',
      does: 'select nothing, then leave the list',
      run: () => (selection.ids.length > 0 ? selection.set([]) : rows.leave()),
    },
  ]);

  return (
    <>
      <h1>Tasks</h1>
      <TaskFilters counts={shown?.counts ?? null} tags={shown?.tags ?? []} onLeave={() => rows.move(0)} />
      {error !== null && value === null ? (
        <Problem sentence={error} />
      ) : (
        shown !== null && (
          <div ref={rows.element} class={value === null ? 'tasks stale' : 'tasks'}>
            <Pages {...shown} page={page}>
              {drafts !== null && shown.total > 0 && <ApproveAll count={shown.total} {...drafts} />}
            </Pages>
            {shown.tasks.length === 0 ? (
              <Nothing isFiltered={query.size > 0} />
            ) : (
              <TaskTable tasks={shown.tasks} selection={selection} edit={isReadOnly ? null : edit} />
            )}
            {shown.pages > 1 && <Pages {...shown} page={page} />}
          </div>
        )
      )}
      {selection.ids.length > 0 && <TaskBulk ids={selection.ids} onDone={() => selection.set([])} />}
      {editing !== null && <TaskForm key={editing.id} task={editing} onClose={() => setEditing(null)} />}
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty>
        No task matches. <a href="/tasks">Show all of them</a>
      </Empty>
    );
  return (
    <Empty>
      There are no tasks yet. Press <kbd>a</kbd> to add one, or type{' '}
      <code>ralph add "What is to be done"</code>; or plan some: <code>ralph plan</code>
    </Empty>
  );
}

type PagesProps = Pick<TasksView, 'total' | 'pages'> & { page: number; children?: ComponentChildren };

const Pages = ({ total, pages, page, children }: PagesProps) => (
  <Pager
    label="Pages of tasks"
    before={page > 1 ? { name: 'Previous', href: pageHref(page - 1) } : null}
    after={page < pages ? { name: 'Next', href: pageHref(page + 1) } : null}
  >
    <span>{plural(total, 'task')}</span>
    {pages > 1 && (
      <span>
        page {page} of {pages}
      </span>
    )}
    {children}
  </Pager>
);

const pageHref = (page: number): string => withQuery({ page: page === 1 ? '' : String(page) });

/** Set where the filter shows all drafts, or all of a feature: `approve` takes exactly those at once. */
function draftsFilter(query: URLSearchParams): { feature: string | null } | null {
  const isAll = query.get('status') === 'draft' && !query.get('text') && !query.get('discipline');
  return isAll ? { feature: query.get('feature') || null } : null;
}
