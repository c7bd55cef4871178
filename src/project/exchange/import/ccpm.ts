// ccpm keeps an epic as a folder: epic.md, and one numbered file a task.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { type Collector, collect } from './collect.ts';
import { frontKeys, splitFrontMatter } from './front-matter.ts';
import { STATUS_WORDS } from './words.ts';

/** `path`: relative to the folder of the epic. */
type EpicFile = { path: string; text: string };

const EPIC = 'epic.md';
const TASK = /^(\d+)\.md$/;

export const recognisesCcpm = (text: string): boolean => {
  const keys = frontKeys(text);
  return keys.includes('name') && keys.includes('status') && !keys.includes('id');
};

export const isCcpmFile = (path: string): boolean => path === EPIC || TASK.test(path);

/** `epic`: its name, if known. `place`: its folder within the project, or null if it lies outside. */
export function readCcpm(files: readonly EpicFile[], epic: string | null, place: string | null): Backlog {
  const collector = collect();
  const feature =
    epic === null
      ? null
      : addEpic(collector, files.find(({ path }) => path === EPIC)?.text ?? '', epic, place);
  const tasks = files.flatMap(({ path, text }) =>
    path === EPIC ? [] : [{ id: TASK.exec(path)?.[1] ?? null, text }],
  );
  // YAML reads 001 as 1.
  const byNumber = new Map(tasks.flatMap(({ id }) => (id === null ? [] : [[Number(id), id]])));
  const toId = (link: string): string => byNumber.get(Number(link)) ?? link;
  for (const task of tasks) readTask(collector, task, feature, toId);
  return collector.backlog({ source: 'ccpm', board: epic, isOneBoard: false, partsFirst: false });
}

function addEpic(collector: Collector, text: string, epic: string, place: string | null): string | null {
  const { front, sections } = splitFrontMatter(text) ?? {};
  const prd = front?.text('prd') ?? null;
  const documents = place === null ? [] : [`${place}/${EPIC}`, ...(prd === null ? [] : [prd])];
  return collector.feature(epic, {
    description: [sections?.take(''), sections?.take('Overview')].filter(Boolean).join('\n\n') || null,
    architecture: sections?.take('Architecture Decisions') ?? null,
    acceptance_criteria: ['Success Criteria (Technical)', 'Success Criteria'].flatMap(
      (name) => sections?.takeItems(name) ?? [],
    ),
    knowledge_paths: documents,
  });
}

function readTask(
  collector: Collector,
  { id: number, text }: { id: string | null; text: string },
  feature: string | null,
  toId: (link: string) => string,
): void {
  const parts = splitFrontMatter(text);
  if (parts === null) {
    collector.problem(`${number}.md has no fields in front, so it is no task; it was left out.`);
    return;
  }
  const { front, sections } = parts;
  const title = front.text('name', 'title') ?? sections.title?.replace(/^Task:\s*/i, '') ?? null;
  const id = number ?? title ?? 'task';
  const status = front.text('status');
  const [created, updated] = [front.time('created'), front.time('updated')];
  const priority = collector.priority(id, front.text('priority'));
  front.ignore('github', 'parallel', 'epic');
  const description = [sections.take(''), sections.take('Description')].filter(Boolean).join('\n\n');
  const criteria = ['Acceptance Criteria', 'Definition of Done'].flatMap((name) => sections.takeItems(name));
  collector.task({
    id,
    place: `${id}.md`,
    title,
    parent: null,
    depends_on: front.ids('depends_on').map(toId),
    status: collector.status(id, status, STATUS_WORDS),
    original_status: status ?? 'open',
    fields: {
      feature,
      description: description === '' ? null : description,
      acceptance_criteria: criteria,
      hints: sections.take('Technical Details'),
      ...(priority !== undefined && { priority }),
    },
    times: { ...(created !== null && { created }), ...(updated !== null && { updated }) },
    leftovers: { ...front.leftovers(), ...sections.leftovers() },
  });
}
