// The one list of the dashboard's pages. The server serves these addresses; the page routes them and lists them.

/** `key`: after `g`, it opens the page. */
type MainPage = { title: string; href: string; key: string };

/** `path`: its group is the name in the address, such as a task's number. `main`: its place in the navigation. */
type DashboardPage = { id: string; path: RegExp; main?: MainPage };

const PAGES = [
  { id: 'now', path: /^\/()$/, main: { title: 'Now', href: '/', key: 'n' } },
  { id: 'tasks', path: /^\/tasks()$/, main: { title: 'Tasks', href: '/tasks', key: 't' } },
  { id: 'task', path: /^\/tasks\/(\d+)$/ },
  { id: 'graph', path: /^\/graph()$/, main: { title: 'Graph', href: '/graph', key: 'g' } },
  { id: 'sessions', path: /^\/sessions()$/, main: { title: 'Sessions', href: '/sessions', key: 's' } },
  { id: 'session', path: /^\/sessions\/([\w-]+)$/ },
  { id: 'knowledge', path: /^\/knowledge()$/, main: { title: 'Knowledge', href: '/knowledge', key: 'k' } },
  { id: 'runs', path: /^\/runs()$/, main: { title: 'Runs', href: '/runs', key: 'r' } },
  { id: 'run', path: /^\/runs\/(\d+)$/ },
  { id: 'machines', path: /^\/machines()$/, main: { title: 'Machines', href: '/machines', key: 'm' } },
] as const satisfies readonly DashboardPage[];

export type PageId = (typeof PAGES)[number]['id'];

export const PAGE_IDS: readonly PageId[] = PAGES.map(({ id }) => id);

export const MAIN_PAGES: readonly (MainPage & { id: PageId })[] = PAGES.flatMap((page) =>
  'main' in page ? [{ id: page.id, ...page.main }] : [],
);

/** Null for an address that no page has. */
export function findPage(pathname: string): { id: PageId; name: string } | null {
  for (const { id, path } of PAGES) {
    const name = path.exec(pathname)?.[1];
    if (name !== undefined) return { id, name };
  }
  return null;
}
