// Collects what a reader finds in a file into a backlog: maps and counts words, makes ids unique and names valid.
import type { Backlog, SourceFeature, SourceFields, SourceTask } from '../../../domain/exchange/backlog.ts';
import { freeName } from '../../../domain/exchange/free-name.ts';
import type { FeatureStatus } from '../../../domain/tasks/feature.ts';
import { PRIORITIES, type Priority, type Status } from '../../../domain/tasks/task.ts';
import { MAX_TEXT, toStorable } from '../../../domain/text/text.ts';
import { titleFrom } from './source-record.ts';

export type Collector = {
  status(id: string, value: string | null, words: Readonly<Record<string, Status>>): Status;
  priority(id: string, value: string | number | null, first: 0 | 1): Priority | undefined;
  /** The name under which Ralph stores the feature; null for a label without a letter or digit. */
  feature(label: string, fields: SourceFeature['fields'], status?: FeatureStatus | null): string | null;
  task(task: NewTask): void;
  problem(text: string): void;
  backlog(about: Pick<Backlog, 'source' | 'board' | 'isOneBoard' | 'partsFirst'>): Backlog;
};

type NewTask = Omit<SourceTask, 'id' | 'fields' | 'depends_on' | 'blocked_by'> & {
  id: string | null;
  title: string | null;
  /** Names an entry without an id in a problem. */
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
  const countMapping = (what: string): void => {
    mapped[what] = (mapped[what] ?? 0) + 1;
  };
  return {
    status: (id, value, words) => {
      const word = value?.toLowerCase() ?? null;
      const known = word === null || Object.hasOwn(words, word);
      const status = word !== null && known ? (words[word] ?? 'pending') : 'pending';
      if (!known) problems.push(`${id} has the unknown status ${value}; it was imported as pending.`);
      if (value !== null) countMapping(`status ${value} → ${status}`);
      return status;
    },
    priority: (id, value, first) => {
      if (value === null) return undefined;
      const priority = typeof value === 'number' ? PRIORITIES[rank(value - first)] : findPriority(value);
      if (priority === undefined)
        problems.push(`${id} has the unknown priority ${value}; it was imported as medium.`);
      countMapping(`priority ${value} → ${priority ?? 'medium'}`);
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
    task: (entry) => {
      const { place, fields, leftovers, depends_on = [] } = entry;
      const own = titleFrom(entry.title);
      const heading = own ?? titleFrom(fields.description ?? null);
      const preferredId = entry.id || heading?.title || place;
      if (!entry.id) problems.push(`${place} has no id; Ralph identifies it by its title.`);
      const id = freeName(preferredId, tasks);
      if (id !== preferredId)
        problems.push(`The id ${preferredId} occurs twice; the second was imported as ${id}.`);
      if (heading === null) problems.push(`${id} has no title; it was imported with its id as the title.`);
      for (const name of Object.keys(leftovers))
        if (leftovers[name]?.length === MAX_TEXT)
          problems.push(
            `${id} has a ${name} of more than ${MAX_TEXT} characters; the rest of it was left out.`,
          );
      const isCalledByDescription = own === null && heading !== null;
      const description = joined(heading?.rest, isCalledByDescription ? null : fields.description);
      const title = (heading ?? titleFrom(id) ?? titleFrom(place))?.title ?? 'Untitled';
      tasks.set(id, {
        id,
        fields: withoutEmpty({ ...fields, description: description === '' ? null : description, title }),
        parent: entry.parent,
        depends_on: [...new Set(depends_on)],
        status: entry.status,
        blocked_by: entry.blocked_by ?? null,
        original_status: entry.original_status,
        times: entry.times,
        leftovers,
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
  toStorable(parts.filter(Boolean).join('\n\n'));

/** The index in PRIORITIES; numbers outside the list count as the first or the last. */
const rank = (number: number): number => Math.min(Math.max(Math.round(number), 0), PRIORITIES.length - 1);

const findPriority = (value: string): Priority | undefined =>
  PRIORITIES.find((priority) => priority === value.toLowerCase());

function nameFrom(label: string): string | null {
  const name = label
    .replace(/[^\p{L}\p{N} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 100)
    .replace(/[ -]+$/, '');
  return name === '' ? null : name;
}

function withoutEmpty<Fields extends object>(fields: Fields): Fields {
  const present: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0))
      present[name] = value;
  return present as Fields;
}
