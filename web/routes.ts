// Which address shows which page. Each is loaded when it is first wanted, or when the browser has nothing better to do.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { sureOfServer } from './api.ts';
import { NowPage } from './pages/now.tsx';

/** `name`: what the address names, a task's number or a session's id. */
export type Page = ComponentType<{ name: string }>;

type Route = { path: RegExp; load(): Promise<Page> };

const ROUTES: readonly Route[] = [
  { path: /^\/()$/, load: async () => NowPage },
  { path: /^\/tasks()$/, load: async () => (await import('./pages/tasks.tsx')).TasksPage },
  { path: /^\/tasks\/(\d+)$/, load: async () => (await import('./pages/task.tsx')).TaskPage },
  { path: /^\/graph()$/, load: async () => (await import('./pages/graph.tsx')).GraphPage },
  { path: /^\/sessions()$/, load: async () => (await import('./pages/sessions.tsx')).SessionsPage },
  { path: /^\/sessions\/([\w-]+)$/, load: async () => (await import('./pages/session.tsx')).SessionPage },
  { path: /^\/knowledge()$/, load: async () => (await import('./pages/knowledge.tsx')).KnowledgePage },
  { path: /^\/runs()$/, load: async () => (await import('./pages/runs.tsx')).RunsPage },
  { path: /^\/runs\/(\d+)$/, load: async () => (await import('./pages/run.tsx')).RunPage },
];

const loaded = signal<ReadonlyMap<Route, Page>>(new Map());

export type Found = { name: string; page: Page | 'on its way' };

/** Null for an address that no page has. */
export function pageAt(pathname: string): Found | null {
  for (const route of ROUTES) {
    const name = route.path.exec(pathname)?.[1];
    if (name === undefined) continue;
    const page = loaded.value.get(route);
    if (page === undefined) void loadPage(route);
    return { name, page: page ?? 'on its way' };
  }
  return null;
}

async function loadPage(route: Route): Promise<void> {
  // Where it cannot be loaded the server is gone, which is told; it is tried again with the next look. Somebody else's script is not run.
  const page = await sureOfServer()
    .then(route.load)
    .catch(() => null);
  if (page !== null && !loaded.value.has(route)) loaded.value = new Map(loaded.value).set(route, page);
}

/** So that no later change of the page has to wait. */
export function loadAllPages(): void {
  setTimeout(async () => {
    for (const route of ROUTES) await loadPage(route);
  }, LOAD_ALL_AFTER_MS);
}

/** The first page has been read and drawn by then. */
const LOAD_ALL_AFTER_MS = 1_000;
