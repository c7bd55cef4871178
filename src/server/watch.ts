// What changed, whoever changed it, for those who asked to be told. Nothing runs before somebody does.
import type { RalphEvent } from '../domain/event.ts';
import type { FileWatch } from '../knowledge/watch-files.ts';
import type { Face } from './face.ts';
import { loadParts } from './load-parts.ts';
import { type Addressed, findFamily } from './resources.ts';

const EVERY_MS = 200;
const MAX_SUBSCRIPTIONS = 1_000;

export type Notify = { updated(uri: string): void; listChanged(): void };

export type Watch = {
  /** Fulfilled when every later change will be noticed. */
  subscribe(uris: readonly string[]): Promise<void>;
  unsubscribe(uri: string): void;
  /** A client that has read a list wants to know when it changes. */
  expectLists(): Promise<void>;
  stop(): Promise<void>;
};

type Subscription = Addressed & { patterns: readonly string[] };

/** Kinds of events after which other resources may be listed than before. */
const CHANGES_LISTS = /^(task\.(added|status)|feature\.saved|discipline\.saved|learning\.added)$/;

export function watchChanges(face: Face, notify: Notify): Watch {
  const subscriptions = new Map<string, Subscription>();
  let last: number | null = null;
  let timer: NodeJS.Timeout | null = null;
  let files: FileWatch | null = null;
  let isLooking = false;
  let isStopped = false;

  async function begin(): Promise<void> {
    if (timer !== null || isStopped) return;
    const { queue } = await face.office();
    const { lastChange } = await loadParts();
    last ??= await lastChange(queue);
    timer ??= setInterval(() => void look(), EVERY_MS).unref();
  }

  async function look(): Promise<void> {
    if (isLooking || isStopped || last === null) return;
    isLooking = true;
    try {
      const { queue } = await face.office();
      const { changesSince } = await loadParts();
      const events = await changesSince(queue, last);
      last = events.at(-1)?.id ?? last;
      if (events.length > 0) await tell(events);
    } catch (error) {
      // A database that is gone for a moment is looked at again at the next tick.
      face.report(error);
    } finally {
      isLooking = false;
    }
  }

  async function tell(events: readonly RalphEvent[]): Promise<void> {
    for (const [uri, { family, variables }] of subscriptions)
      if (events.some((event) => family.isChangedBy(event, variables))) notify.updated(uri);
    if (events.some(({ kind }) => CHANGES_LISTS.test(kind))) notify.listChanged();
    // A feature may name other files now.
    if (events.some(({ kind }) => kind === 'feature.saved'))
      for (const [uri, subscription] of subscriptions) await watchFilesOf(uri, subscription);
  }

  async function watchFilesOf(uri: string, { family, variables }: Addressed): Promise<void> {
    const office = await face.office();
    const patterns = (await family.shows?.(office, variables).catch(() => [])) ?? [];
    subscriptions.set(uri, { family, variables, patterns });
    files ??= await openFiles(office.root);
    await files.add(patterns);
  }

  async function openFiles(root: string): Promise<FileWatch> {
    const { watchFiles } = await import('../knowledge/watch-files.ts');
    const opened = watchFiles(root, (path) => void changed(path), face.report);
    await opened.add(['.ralph']);
    return opened;
  }

  async function changed(path: string): Promise<void> {
    try {
      const { matchesPattern } = await import('../knowledge/watch-files.ts');
      if (path.startsWith('.ralph/')) await (await face.office()).sync();
      for (const [uri, { patterns }] of subscriptions)
        if (patterns.some((pattern) => matchesPattern(pattern, path))) notify.updated(uri);
    } catch (error) {
      // A definition that is wrong while it is being written is a person's to mend; what was there stays.
      face.report(error);
    }
  }

  return {
    subscribe: async (uris) => {
      for (const uri of uris) {
        if (subscriptions.has(uri) || subscriptions.size >= MAX_SUBSCRIPTIONS) continue;
        const found = await findFamily(uri);
        if (found !== null) await watchFilesOf(uri, found);
      }
      await begin();
    },
    unsubscribe: (uri) => void subscriptions.delete(uri),
    expectLists: begin,
    stop: async () => {
      isStopped = true;
      if (timer !== null) clearInterval(timer);
      await files?.close();
    },
  };
}
