// What becomes of the sample of each format: counted by hand in the file, and by Ralph in the queue after the import.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Backlog } from '../../src/domain/exchange/backlog.ts';
import { readBacklogsIn } from '../../src/project/exchange/import/folders/index.ts';
import { readSourceFolder } from '../../src/project/exchange/import/folders/source-folder.ts';
import { readBacklog, recognise } from '../../src/project/exchange/import/index.ts';
import { importBacklog } from '../../src/queue/exchange/import-backlog.ts';
import { closeQueue, openQueue, type Queue } from '../../src/queue/queue.ts';
import { lastEventId } from '../../src/store/events.ts';
import { listFeatures } from '../../src/store/tasks/features.ts';
import { referencesBySource } from '../../src/store/tasks/references.ts';
import { listTasks } from '../../src/store/tasks/tasks.ts';

export const SAMPLES = resolve(import.meta.dirname, '../../test/fixtures/import');

/** Counted by hand. What a file does not have is absent. */
export type Counted = {
  tasks: number;
  parts?: number;
  links?: number;
  criteria?: number;
  priorities?: string;
  states: string;
  because?: string;
};

/** Counted in the queue. `waits`: links that follow from parts. `again`: what a second import added, changed and wrote. */
export type Measured = {
  format: string;
  tasks: number;
  parts: number;
  links: number;
  waits: number;
  criteria: number;
  priorities: string;
  states: string;
  again: { added: number; updated: number; events: number };
};

export const countedByHand = (): Record<string, Counted> =>
  parse(readFileSync(join(SAMPLES, 'counts.yaml'), 'utf8'));

export async function readSample(path: string): Promise<Backlog[]> {
  const full = join(SAMPLES, path);
  if (statSync(full).isDirectory()) return readBacklogsIn(await readSourceFolder(SAMPLES, full, path)) ?? [];
  const text = readFileSync(full, 'utf8');
  const format = recognise(text, path);
  return format === 'yaml' ? [] : [readBacklog(text, path, format)];
}

export async function measureSample(path: string): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-sample-'));
  const queue = await openQueue(join(folder, 'ralph.db'));
  try {
    const backlogs = await readSample(path);
    for (const backlog of backlogs) await importBacklog(queue, backlog, path);
    const before = await queue.store.read(lastEventId);
    const again = { added: 0, updated: 0, events: 0 };
    for (const backlog of await readSample(path)) {
      const { added, updated, features } = await importBacklog(queue, backlog, path);
      again.added += added + features.added;
      again.updated += updated + features.updated;
    }
    again.events = (await queue.store.read(lastEventId)) - before;
    return { ...(await countQueue(queue, backlogs)), format: backlogs[0]?.source ?? 'none', again };
  } finally {
    await closeQueue(queue);
    rmSync(folder, { recursive: true });
  }
}

async function countQueue(
  queue: Queue,
  backlogs: readonly Backlog[],
): Promise<Omit<Measured, 'format' | 'again'>> {
  const { tasks, features, ids } = await queue.store.read(async (db) => ({
    tasks: await listTasks(db),
    features: await listFeatures(db),
    ids: new Map(
      (await referencesBySource(db, backlogs[0]?.source ?? 'prd')).map((one) => [one.id, one.task_id]),
    ),
  }));
  const edges = new Set(tasks.flatMap(({ id, depends_on }) => depends_on.map((other) => `${id} ${other}`)));
  const stated = backlogs.flatMap((backlog) =>
    backlog.tasks.flatMap(({ id, depends_on }) =>
      depends_on.map((other) => `${ids.get(id)} ${ids.get(other)}`),
    ),
  );
  const links = stated.filter((edge) => edges.has(edge)).length;
  return {
    tasks: tasks.length,
    parts: tasks.filter(({ parent }) => parent !== null).length,
    links,
    waits: edges.size - links,
    criteria: [...tasks, ...features].reduce((sum, one) => sum + one.acceptance_criteria.length, 0),
    priorities: tally(tasks.map(({ priority }) => priority)),
    states: tally(tasks.map(({ status }) => status)),
  };
}

function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}

const BEGIN = '<!-- The table is made by `npm run references` from test/fixtures/import. -->';
const END = '<!-- End of the table. -->';

/** Puts the table into the page, between its marks. */
export async function importReference(page: string): Promise<string> {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end === -1) throw new Error('docs/import.md has lost the marks around its table');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${await importTable()}\n\n${page.slice(end)}`;
}

async function importTable(): Promise<string> {
  const rows: string[] = [];
  for (const [path, counted] of Object.entries(countedByHand())) {
    const measured = await measureSample(path);
    const { added, updated, events } = measured.again;
    rows.push(
      `| ${[
        `\`${path}\``,
        measured.format,
        change(counted.tasks, measured.tasks),
        change(counted.parts ?? 0, measured.parts),
        `${change(counted.links ?? 0, measured.links)}${measured.waits === 0 ? '' : ` (+${measured.waits})`}`,
        change(counted.criteria ?? 0, measured.criteria),
        `${counted.priorities ?? 'none'} → ${measured.priorities}`,
        `${counted.states} → ${measured.states}`,
        counted.because ?? '',
        added + updated + events === 0 ? 'nothing' : `${added} added, ${updated} changed`,
      ].join(' | ')} |`,
    );
  }
  const head =
    '| sample | format | tasks | parts | links | criteria | priorities | states | lost because | again |';
  return [head, '|---|---|---|---|---|---|---|---|---|---|', ...rows].join('\n');
}

const change = (counted: number, measured: number): string =>
  counted === measured ? String(counted) : `${counted} → ${measured}`;
