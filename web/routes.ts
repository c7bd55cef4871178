// Which address shows which page. Each is loaded when it is first wanted, or when the browser has nothing better to do.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { sureOfServer } from './api.ts';
import { connection } from './live.ts';
import { NowPage } from './pages/now/now.tsx';

/** `name`: what the address names, a task's number or a session's id. */
export type Page = ComponentType<{ name: string }>;

type Route = { path: RegExp; load(): Promise<Page> };

const ROUTES: readonly Route[] = [
  { path: /^\/()$/, load: async () => NowPage },
  { path: /^\/tasks()$/, load: async () => (await import('./pages/tasks/tasks.tsx')).TasksPage },
  { path: /^\/tasks\/(\d+)$/, load: async () => (await import('./pages/task/task.tsx')).TaskPage },
  { path: /^\/graph()$/, load: async () => (await import('./pages/graph/graph.tsx')).GraphPage },
  { path: /^\/sessions()$/, load: async () => (await import('./pages/sessions/sessions.tsx')).SessionsPage },
  {
    path: /^\/sessions\/([\w-]+)$/,
    load: async () => (await import('./pages/session/session.tsx')).SessionPage,
  },
  {
    path: /^\/knowledge()$/,
    load: async () => (await import('./pages/knowledge/knowledge.tsx')).KnowledgePage,
  },
  { path: /^\/runs()$/, load: async () => (await import('./pages/runs/runs.tsx')).RunsPage },
  { path: /^\/runs\/(\d+)$/, load: async () => (await import('./pages/runs/run.tsx')).RunPage },
];

/** Null: it cannot be loaded any more, because a browser does not ask again for a script that it did not get. */
const loaded = signal<ReadonlyMap<Route, Page | null>>(new Map());

export type Found = { name: string; page: Page | 'on its way' | 'out of reach' };

/** Null for an address that no page has. */
export function pageAt(pathname: string): Found | null {
  for (const route of ROUTES) {
    const name = route.path.exec(pathname)?.[1];
    if (name === undefined) continue;
    const page = loaded.value.get(route);
    // Who shows this looks again when the connection changes, and so it is tried anew once the server is back.
    if (page === undefined && connection.value !== 'denied') void loadPage(route);
    return { name, page: page === undefined ? 'on its way' : (page ?? 'out of reach') };
  }
  return null;
}

/** Somebody else's script is not run; that the server is gone, or not ours, is told elsewhere. */
async function loadPage(route: Route): Promise<void> {
  const isSure = await sureOfServer().then(
    () => true,
    () => false,
  );
  if (!isSure || loaded.value.has(route)) return;
  const page = await route.load().catch(() => null);
  if (!loaded.value.has(route)) loaded.value = new Map(loaded.value).set(route, page);
}

/** So that no later change of the page has to wait. */
export function loadAllPages(): void {
  setTimeout(async () => {
    for (const route of ROUTES) await loadPage(route);
  }, LOAD_ALL_AFTER_MS);
}

/** The first page has been read and drawn by then. */
const LOAD_ALL_AFTER_MS = 1_000;
