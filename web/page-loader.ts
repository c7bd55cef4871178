// Loads the script of a page when a person first opens it, and the rest once the first page is shown.
import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { findPage, PAGE_IDS, type PageId } from '../src/domain/dashboard-pages.ts';
import { verifyServer } from './api.ts';
import { connection } from './live.ts';

/** `name`: the task's number or session's id in the address; empty where there is none. */
export type Page = ComponentType<{ name: string }>;

const LOADERS: Readonly<Record<PageId, () => Promise<Page>>> = {
  now: async () => (await import('./pages/now/now.tsx')).NowPage,
  tasks: async () => (await import('./pages/tasks/tasks.tsx')).TasksPage,
  task: async () => (await import('./pages/task/task.tsx')).TaskPage,
  graph: async () => (await import('./pages/graph/graph.tsx')).GraphPage,
  sessions: async () => (await import('./pages/sessions/sessions.tsx')).SessionsPage,
  session: async () => (await import('./pages/session/session.tsx')).SessionPage,
  knowledge: async () => (await import('./pages/knowledge/knowledge.tsx')).KnowledgePage,
  runs: async () => (await import('./pages/runs/runs.tsx')).RunsPage,
  run: async () => (await import('./pages/runs/run.tsx')).RunPage,
  machines: async () => (await import('./pages/machines/machines.tsx')).MachinesPage,
};

/** Null: loading failed. It stays so, because a browser does not request a failed script again. */
const loaded = signal<ReadonlyMap<PageId, Page | null>>(new Map());

export type CurrentPage = { name: string; page: Page | 'loading' | 'unavailable' };

/** Null for an address that no page has. */
export function pageAt(pathname: string): CurrentPage | null {
  const found = findPage(pathname);
  if (found === null) return null;
  const page = loaded.value.get(found.id);
  // Reading `connection` here renders again when it changes: a server that is back gets another try.
  if (page === undefined && connection.value !== 'denied') void loadPage(found.id);
  return { name: found.name, page: page === undefined ? 'loading' : (page ?? 'unavailable') };
}

/** Runs no script of another server. A banner already says that the server is gone, or not ours. */
async function loadPage(id: PageId): Promise<void> {
  const isSure = await verifyServer().then(
    () => true,
    () => false,
  );
  if (!isSure || loaded.value.has(id)) return;
  const page = await LOADERS[id]().catch(() => null);
  if (!loaded.value.has(id)) loaded.value = new Map(loaded.value).set(id, page);
}

/** By then the first page has been read and drawn. */
const LOAD_ALL_AFTER_MS = 1_000;

/** So that no later change of page has to wait. */
export function loadAllPages(): void {
  setTimeout(async () => {
    for (const id of PAGE_IDS) await loadPage(id);
  }, LOAD_ALL_AFTER_MS);
}
