// Notifies a client of changes to what it subscribed to, whichever process made them. Nothing runs before the first subscription
// or list.
import type { RalphEvent } from '../domain/event.ts';
import { Refusal } from '../domain/refusal.ts';
import type { FileWatch } from '../files/watch-files.ts';
import type { Backend, Binding } from './binding.ts';
import { loadParts } from './load-parts.ts';
import { findFamily, type MatchedResource } from './resources.ts';

const POLL_MS = 200;
const MAX_SUBSCRIPTIONS = 1_000;

type Notify = { updated(uri: string): void; listChanged(): void };

export type Watch = {
  /** Resolves when every later change will be noticed. `holder` owns the subscriptions; a URI may have several holders. */
  subscribe(uris: readonly string[], holder: string): Promise<void>;
  /** Ends the holder's subscription to the URI, or all its subscriptions. */
  release(holder: string, uri?: string): void;
  /** Starts polling for a client that has read a list and wants to know when it changes. */
  expectLists(): Promise<void>;
  stop(): Promise<void>;
};

type Subscription = MatchedResource & { holders: Set<string>; patterns: readonly string[] };

/** Events that may change which resources are listed. */
const CHANGES_LISTS =
  /^(task\.(added|status|removed)|feature\.(saved|removed)|discipline\.(saved|removed)|learning\.added)$/;

export function watchChanges(binding: Binding, client: Notify): Watch {
  const notify = coalesce(client);
  const subscriptions = new Map<string, Subscription>();
  let polling: Promise<void> | null = null;
  let files: Promise<FileWatch> | null = null;
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;

  function poll(): Promise<void> {
    polling ??= beginPolling().catch((error: unknown) => {
      polling = null;
      throw error;
    });
    return polling;
  }

  async function beginPolling(): Promise<void> {
    const backend = await binding.backend();
    const { lastChangeId } = await loadParts();
    let last = await lastChangeId(backend.queue);
    let isLooking = false;
    if (isStopped) return;
    timer = setInterval(async () => {
      if (isLooking) return;
      isLooking = true;
      try {
        last = await look(backend, last);
      } catch (error) {
        // The database may be gone for a moment; the next tick tries again.
        binding.report(error);
      }
      isLooking = false;
    }, POLL_MS).unref();
  }

  async function look(backend: Backend, last: number): Promise<number> {
    const { changesSince } = await loadParts();
    const events = await changesSince(backend.queue, last);
    if (events.length > 0) await tell(events);
    return events.at(-1)?.id ?? last;
  }

  async function tell(events: readonly RalphEvent[]): Promise<void> {
    for (const [uri, { family, variables }] of subscriptions)
      if (events.some((event) => family.isChangedBy(event, variables))) notify.updated(uri);
    if (events.some(({ kind }) => CHANGES_LISTS.test(kind))) notify.listChanged();
    // The feature may name other files now.
    if (events.some(({ kind }) => kind === 'feature.saved'))
      for (const subscription of subscriptions.values()) await watchSubscribed(subscription);
  }

  async function watchSubscribed(subscription: Subscription): Promise<void> {
    const backend = await binding.backend();
    const { family, variables } = subscription;
    subscription.patterns = (await family.filePatterns?.(backend, variables).catch(() => [])) ?? [];
    files ??= openFiles(backend.root);
    await (await files).add(subscription.patterns);
  }

  async function openFiles(root: string): Promise<FileWatch> {
    const { watchFiles } = await import('../files/watch-files.ts');
    const opened = watchFiles(
      root,
      (path, isNew, isFolder) => void changed(path, isNew, isFolder),
      binding.report,
    );
    await opened.add(['.ralph']);
    return opened;
  }

  async function changed(path: string, isNew: boolean, isFolder: boolean): Promise<void> {
    try {
      const { matchesPattern } = await import('../files/watch-files.ts');
      if (path.startsWith('.ralph/')) await (await binding.backend()).sync();
      const shown = [...subscriptions].filter(([, { patterns }]) =>
        patterns.some((pattern) => matchesPattern(pattern, path, isFolder)),
      );
      for (const [uri] of shown) notify.updated(uri);
      // A file that a feature names is a resource, so the list has one more or one less.
      if (isNew && shown.length > 0) notify.listChanged();
    } catch (error) {
      binding.report(error);
    }
  }

  /** Stops watching files that no subscription needs. */
  async function forgetFiles(): Promise<void> {
    const needed = [...subscriptions.values()].flatMap(({ patterns }) => patterns);
    await (await files)?.keepOnly(['.ralph', ...needed]);
  }

  async function subscribe(uri: string, holder: string): Promise<void> {
    const existing = subscriptions.get(uri);
    if (existing !== undefined) {
      existing.holders.add(holder);
      return;
    }
    if (subscriptions.size >= MAX_SUBSCRIPTIONS)
      throw new Refusal(
        `There are ${MAX_SUBSCRIPTIONS} subscriptions already; unsubscribe from some of them first.`,
      );
    const found = await findFamily(uri);
    if (found === null || isStopped) return;
    const subscription = { ...found, holders: new Set([holder]), patterns: [] };
    subscriptions.set(uri, subscription);
    await watchSubscribed(subscription);
  }

  return {
    subscribe: async (uris, holder) => {
      await poll();
      for (const uri of uris) await subscribe(uri, holder);
    },
    release: (holder, only) => {
      for (const [uri, { holders }] of subscriptions) {
        if (only !== undefined && only !== uri) continue;
        holders.delete(holder);
        if (holders.size === 0) subscriptions.delete(uri);
      }
      void forgetFiles().catch(binding.report);
    },
    expectLists: poll,
    stop: async () => {
      isStopped = true;
      if (timer !== null) clearInterval(timer);
      await (await files)?.close();
    },
  };
}

const COALESCE_MS = 10;

/** Reports a change once, even if it is seen several times: by two watched folders, or by a file and its definition. */
function coalesce({ updated, listChanged }: Notify): Notify {
  const uris = new Set<string>();
  let isListChanged = false;
  let isWaiting = false;
  const soon = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      const [now, lists] = [[...uris], isListChanged];
      uris.clear();
      isListChanged = false;
      for (const uri of now) updated(uri);
      if (lists) listChanged();
    }, COALESCE_MS).unref();
  };
  return {
    updated: (uri) => {
      uris.add(uri);
      soon();
    },
    listChanged: () => {
      isListChanged = true;
      soon();
    },
  };
}
