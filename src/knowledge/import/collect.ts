// What a reader finds in a file, gathered into a backlog: words mapped and counted, ids unique, names that Ralph can keep.
import type { Backlog, Source, SourceFeature, SourceFields, SourceTask } from '../../domain/backlog.ts';
import type { FeatureStatus } from '../../domain/feature.ts';
import { PRIORITIES, type Priority, type Status } from '../../domain/task.ts';
import { keepable, MAX_TEXT } from '../../domain/text.ts';
import { titleFrom } from './source-record.ts';

export type Collector = {
  status(id: string, said: string | null, words: Readonly<Record<string, Status>>): Status;
  priority(id: string, said: string | number | null, first: 0 | 1): Priority | undefined;
  /** The name under which Ralph keeps a feature; null for one without a letter. */
  feature(label: string, fields: SourceFeature['fields'], status?: FeatureStatus | null): string | null;
  task(task: NewTask): void;
  problem(text: string): void;
  backlog(about: Pick<Backlog, 'source' | 'board' | 'isOneBoard' | 'partsFirst'>): Backlog;
};

type NewTask = Omit<SourceTask, 'id' | 'fields' | 'depends_on' | 'blocked_by'> & {
  id: string | null;
  title: string | null;
  /** How a problem names an entry without an id. */
  place: string;
  fields: Omit<SourceFields, 'title'>;
  depends_on?: readonly string[];
  blocked_by?: string | null;
};

export function collect(): Collector {
  const mapped: Record<string, number> = {};
  const problems: string[] = [];
  const features = new Map<string, SourceFeature>();
  const tasks = new Map<string, SourceTask>();
  const map = (what: string): void => {
    mapped[what] = (mapped[what] ?? 0) + 1;
  };
  return {
    status: (id, said, words) => {
      const word = said?.toLowerCase() ?? null;
      const known = word === null || Object.hasOwn(words, word);
      const status = word !== null && known ? (words[word] ?? 'pending') : 'pending';
      if (!known) problems.push(`${id} has the status ${said}, which is not known; it came in as pending.`);
      if (said !== null) map(`status ${said} → ${status}`);
      return status;
    },
    priority: (id, said, first) => {
      if (said === null) return undefined;
      const priority = typeof said === 'number' ? PRIORITIES[rank(said - first)] : wordFor(said);
      if (priority === undefined)
        problems.push(`${id} has the priority ${said}, which is not known; it came in as medium.`);
      map(`priority ${said} → ${priority ?? 'medium'}`);
      return priority ?? 'medium';
    },
    feature: (label, fields, status = null) => {
      const name = nameFrom(label);
      if (name === null) return null;
      const display_name = name === label ? {} : { display_name: label };
      if (!features.has(name))
        features.set(name, { name, fields: { ...display_name, ...withoutEmpty(fields) }, status });
      return name;
    },
    task: ({ id: given, title, place, fields, depends_on = [], blocked_by = null, ...task }) => {
      const own = titleFrom(title);
      const named = own ?? titleFrom(fields.description ?? null);
      const wanted = given || named?.title || place;
      if (!given) problems.push(`${place} has no id; it is known by its title.`);
      const id = freeId(wanted, tasks);
      if (id !== wanted) problems.push(`The id ${wanted} is there twice; the second came in as ${id}.`);
      if (named === null) problems.push(`${id} has no title; it came in under its id.`);
      const isCalledByDescription = own === null && named !== null;
      const description = joined(named?.rest, isCalledByDescription ? null : fields.description);
      for (const [name, value] of Object.entries(task.leftovers))
        if (value.length === MAX_TEXT)
          problems.push(
            `${id} has a ${name} of more than ${MAX_TEXT} characters; the rest of it was left out.`,
          );
      tasks.set(id, {
        ...task,
        id,
        blocked_by,
        depends_on: [...new Set(depends_on)],
        fields: {
          ...withoutEmpty({ ...fields, description: null }),
          ...(description !== '' && { description }),
          title: (named ?? titleFrom(id) ?? titleFrom(place))?.title ?? 'Untitled',
        },
      });
    },
    problem: (text) => void problems.push(text),
    backlog: (about) => ({
      ...about,
      features: [...features.values()],
      tasks: [...tasks.values()],
      mapped,
      problems,
    }),
  };
}

const joined = (...parts: readonly (string | null | undefined)[]): string =>
  keepable(parts.filter(Boolean).join('\n\n'));

/** 1, 2, 3 and beyond, as the words for a feature's rank are read: critical, high, medium, low. */
const rank = (number: number): number => Math.min(Math.max(Math.round(number), 0), PRIORITIES.length - 1);

const wordFor = (said: string): Priority | undefined =>
  PRIORITIES.find((priority) => priority === said.toLowerCase());

function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id} (${count})`;
  return free;
}

function nameFrom(label: string): string | null {
  const name = label
    .replace(/[^\p{L}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 100)
    .replace(/[ -]+$/, '');
  return name === '' ? null : name;
}

function withoutEmpty<Fields extends object>(fields: Fields): Fields {
  const given = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(given) as Fields;
}

/** How each source is called in what people read. */
export const SOURCE_LABELS: Record<Source, string> = {
  implementation: 'implementation.json',
  prd: 'prd.json',
  'task-master': "task-master's tasks.json",
  beads: "beads' issues.jsonl",
  markdown: 'a Markdown checklist',
};
