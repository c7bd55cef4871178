// Collects what a reader finds in a file into a backlog: maps and counts words, makes ids unique and names valid.
import {
  type Backlog,
  freeName,
  type SourceFeature,
  type SourceFields,
  type SourceTask,
} from '../../../domain/exchange/backlog.ts';
import type { FeatureStatus } from '../../../domain/tasks/feature.ts';
import { PRIORITIES, type Priority, type Status } from '../../../domain/tasks/task.ts';
import { MAX_TEXT, toStorable } from '../../../domain/text/text.ts';
import { authorName, hasContent, saysCommit, withoutAddresses } from './content.ts';
import { SHORT_TITLE, titleFrom } from './title.ts';
import { findPriority } from './words.ts';

export type Collector = {
  status(id: string, value: string | null, words: Readonly<Record<string, Status>>): Status;
  /** `toWord`: what a number means in this source; by default 1 is critical. */
  priority(
    id: string,
    value: string | number | null,
    toWord?: (number: number) => Priority,
  ): Priority | undefined;
  /** The name under which Ralph stores the feature; null for a label without a letter or digit. */
  feature(label: string, fields: SourceFeature['fields'], status?: FeatureStatus | null): string | null;
  task(task: NewTask): void;
  /** Counts how a value was read, as `what → what`. */
  mapped(what: string): void;
  problem(text: string): void;
  /** Counts something that is left out in every entry, and is named once. */
  dropped(what: string): void;
  backlog(about: Pick<Backlog, 'source' | 'board' | 'isOneBoard' | 'partsFirst'>): Backlog;
};

type NewTask = Omit<SourceTask, 'id' | 'fields' | 'depends_on' | 'blocked_by' | 'not_before' | 'author'> & {
  id: string | null;
  title: string | null;
  /** Names an entry without an id in a problem. */
  place: string;
  fields: Omit<SourceFields, 'title'>;
  depends_on?: readonly string[];
  blocked_by?: string | null;
  not_before?: number | null;
  author?: string | null;
};

export function collect(): Collector {
  const mapped: Record<string, number> = {};
  const problems: string[] = [];
  const features = new Map<string, SourceFeature>();
  const tasks = new Map<string, SourceTask>();
  const dropped = new Map<string, number>();
  const countDropped = (what: string): void => void dropped.set(what, (dropped.get(what) ?? 0) + 1);
  const countMapping = (what: string): void => {
    mapped[what] = (mapped[what] ?? 0) + 1;
  };
  return {
    status: (id, value, words) => {
      const word = value?.toLowerCase() ?? null;
      const isKnown = word === null || Object.hasOwn(words, word);
      const status = word !== null && isKnown ? (words[word] ?? 'pending') : 'pending';
      if (!isKnown) problems.push(`${id} has the unknown status ${value}; it was imported as pending.`);
      if (value !== null) countMapping(`status ${value} → ${status}`);
      return status;
    },
    priority: (id, value, toWord = priorityFrom(1)) => {
      if (value === null) return undefined;
      const priority = typeof value === 'number' ? toWord(value) : findPriority(value);
      if (priority === undefined)
        problems.push(`${id} has the unknown priority ${value}; it was imported as medium.`);
      countMapping(`priority ${value} → ${priority ?? 'medium'}`);
      return priority ?? 'medium';
    },
    feature: (label, given, status = null) => {
      const name = nameFrom(label);
      if (name === null) return null;
      const fields = shorten(given, `The feature ${name}`, problems);
      const display_name = name === label ? {} : { display_name: label };
      if (!features.has(name))
        features.set(name, { name, fields: { ...display_name, ...withoutEmpty(fields) }, status });
      return name;
    },
    task: (entry) => {
      const { place, fields, depends_on = [] } = entry;
      const own = titleFrom(entry.title);
      const heading = own ?? titleFrom(fields.description ?? null, SHORT_TITLE);
      const preferredId = entry.id || heading?.title || place;
      if (!entry.id) problems.push(`${place} has no id; Ralph identifies it by its title.`);
      const id = freeName(preferredId, tasks);
      if (id !== preferredId)
        problems.push(`The id ${preferredId} occurs twice; the second was imported as ${id}.`);
      if (heading === null) problems.push(`${id} has no title; it was imported with its id as the title.`);
      const entries = Object.entries(entry.leftovers);
      for (const [name, value] of entries) if (!hasContent(name, value)) countDropped(name);
      const leftovers = Object.fromEntries(
        entries
          .filter(([name, value]) => hasContent(name, value))
          .map(([name, value]) => [name, withoutAddresses(value)]),
      );
      const criteria = fields.acceptance_criteria?.filter((criterion) => !saysCommit(criterion));
      if (criteria?.length !== fields.acceptance_criteria?.length) countDropped(COMMIT_STEPS);
      for (const name of Object.keys(leftovers))
        if (leftovers[name]?.length === MAX_TEXT)
          problems.push(
            `${id} has a ${name} of more than ${MAX_TEXT} characters; the rest of it was left out.`,
          );
      const { description: text = null, ...others } = fields;
      const isCalledByDescription = own === null && heading !== null;
      const { description = '' } = shorten(
        { description: joined(heading?.rest, isCalledByDescription ? null : text) },
        id,
        problems,
      );
      const title = (heading ?? titleFrom(id) ?? titleFrom(place))?.title ?? 'Untitled';
      tasks.set(id, {
        id,
        fields: withoutEmpty({
          ...shorten(others, id, problems),
          ...(criteria !== undefined && { acceptance_criteria: criteria }),
          description: description === '' ? null : description,
          title,
        }),
        parent: entry.parent,
        depends_on: [...new Set(depends_on)],
        status: entry.status,
        blocked_by: entry.blocked_by ?? null,
        original_status: entry.original_status,
        times: entry.times,
        not_before: entry.not_before ?? null,
        author: authorName(entry.author ?? null),
        leftovers,
      });
    },
    mapped: countMapping,
    dropped: countDropped,
    problem: (text) => void problems.push(text),
    backlog: (about) => ({
      ...about,
      features: [...features.values()],
      tasks: [...tasks.values()],
      mapped,
      problems: [...problems, ...droppedText(dropped)],
    }),
  };
}

const COMMIT_STEPS = 'a step that says to commit';

/** One sentence for all of them: a board has the same fields in every entry. */
function droppedText(dropped: ReadonlyMap<string, number>): string[] {
  const names = [...dropped].map(([name, count]) => `${name} (${count})`);
  return names.length === 0 ? [] : [`Left out, as no session needs it: ${names.join(', ')}.`];
}

const joined = (...parts: readonly (string | null | undefined)[]): string =>
  parts.filter(Boolean).join('\n\n');

/** A text that is too long loses its end, and the report says so. */
function shorten<Fields extends object>(fields: Fields, owner: string, problems: string[]): Fields {
  const entries = Object.entries(fields).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value];
    if (value.length > MAX_TEXT)
      problems.push(
        `${owner} has a ${name} of more than ${MAX_TEXT} characters; the rest of it was left out.`,
      );
    return [name, toStorable(value)];
  });
  return Object.fromEntries(entries) as Fields;
}

/** `first`: the number that is critical. Numbers outside of the four count as the first or the last. */
export const priorityFrom =
  (first: 0 | 1) =>
  (number: number): Priority =>
    PRIORITIES[Math.min(Math.max(Math.round(number) - first, 0), PRIORITIES.length - 1)] ?? 'medium';

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
