import { MAIN_PAGES } from '../src/domain/dashboard-pages.ts';
import { visible } from '../src/domain/text/text.ts';
import type { ProjectView } from '../src/ui/views/project.ts';
import { hasToken } from './api.ts';
import { KeysOverlay, listKeys, useKeys } from './keys.tsx';
import { connection, isPaused, lostReason, missed, pause, resume } from './live.ts';
import { currentUrl, go } from './navigation.ts';
import { NoticeBar } from './notice.tsx';
import { type CurrentPage, pageAt } from './page-loader.ts';
import { Text } from './parts/labels.tsx';
import { AddTask, openAddTask } from './parts/task-form.tsx';
import { ProjectContext, useIsReadOnly } from './project.ts';
import { pendingViews, useView } from './view.ts';

export function App() {
  if (!hasToken) return <Locked />;
  return <Dashboard />;
}

/** For a person who opened the bare address, without the token. */
function Locked() {
  return (
    <main class="locked">
      <h1>This page needs its key</h1>
      <p>
        Open the whole address that <code>ralph ui</code> printed in the terminal, with everything behind the
        <code>#</code>.
      </p>
    </main>
  );
}

function Dashboard() {
  const { value: project, error } = useView<ProjectView>('/api/project');
  useKeys([
    ...MAIN_PAGES.map(({ title, href, key }) => ({
      keys: `g ${key}`,
      does: `go to ${title}`,
      run: () => go(href),
    })),
    ...(project?.isReadOnly === false ? [{ keys: 'a', does: 'add a task', run: openAddTask }] : []),
    { keys: 'p', does: 'pause or resume', run: togglePause },
    {
      keys: '?',
      does: 'list these keys',
      run: listKeys,
    },
  ]);
  if (connection.value === 'denied') return <Locked />;
  return (
    <ProjectContext.Provider value={project}>
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <Header project={project} />
      <Banners project={project} error={error} />
      <Main />
      <NoticeBar />
      <KeysOverlay />
      <AddTask />
    </ProjectContext.Provider>
  );
}

function Header({ project }: { project: ProjectView | null }) {
  const { pathname } = currentUrl.value;
  document.title = project === null ? 'Ralph' : `${visible(project.title)} · Ralph`;
  return (
    <header class="top">
      <span class="brand">
        <strong>Ralph</strong> <Text>{project?.title ?? ''}</Text>
      </span>
      <nav aria-label="Pages">
        {MAIN_PAGES.map(({ id, title, href }) => {
          const isHere = href === '/' ? pathname === '/' : pathname.startsWith(href);
          const waiting = id === 'now' && project !== null ? countNeedsYou(project) : 0;
          return (
            <a key={href} href={href} aria-current={isHere ? 'page' : undefined}>
              {title}
              {waiting > 0 && (
                <span class="badge">
                  {waiting}
                  <span class="unseen"> need you</span>
                </span>
              )}
            </a>
          );
        })}
      </nav>
      {!useIsReadOnly() && (
        <button type="button" class="primary" onClick={openAddTask}>
          Add task
        </button>
      )}
      <LiveState />
    </header>
  );
}

const countNeedsYou = ({ counts, questions, flags }: ProjectView): number =>
  counts.failed + counts.blocked + counts.draft + questions + flags;

function togglePause(): void {
  if (isPaused.value) resume();
  else pause();
}

function LiveState() {
  const state = isPaused.value ? 'paused' : connection.value;
  const news = missed.value > 0 ? `, ${missed.value} new` : '';
  return (
    <span class={`live ${state}`}>
      <span role="status">
        {state}
        {news}
      </span>
      <button type="button" onClick={togglePause} aria-pressed={isPaused.value}>
        {isPaused.value ? 'Resume' : 'Pause'}
      </button>
      <button type="button" aria-label="Keys" onClick={listKeys}>
        ?
      </button>
    </span>
  );
}

function Banners({ project, error }: { project: ProjectView | null; error: string | null }) {
  const lost = connection.value === 'lost' ? lostReason.value : error;
  return (
    <div role="alert">
      {lost !== null && (
        <p class="banner bad">
          <Text>{lost}</Text>
        </p>
      )}
      {project?.trouble && (
        <p class="banner bad">
          <Text>{project.trouble}</Text>
        </p>
      )}
      {project?.isReadOnly && <p class="banner">Read-only: nothing can be changed here.</p>}
    </div>
  );
}

function Main() {
  const current = pageAt(currentUrl.value.pathname);
  return (
    <main id="main" tabIndex={-1} aria-busy={current?.page === 'loading' || pendingViews.value > 0}>
      {current === null ? <NoSuchPage /> : <Loaded {...current} />}
    </main>
  );
}

function Loaded({ page: Page, name }: CurrentPage) {
  if (Page === 'loading') return null;
  if (Page === 'unavailable') return <Unavailable />;
  return <Page key={currentUrl.value.pathname} name={name} />;
}

const Unavailable = () => (
  <>
    <h1>This page could not be loaded</h1>
    <p role="alert">
      Ralph was updated since you opened this page, or the server could not be reached.{' '}
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </p>
  </>
);

const NoSuchPage = () => (
  <>
    <h1>There is no such page</h1>
    <p>
      <a href="/">Go to what needs you now.</a>
    </p>
  </>
);
