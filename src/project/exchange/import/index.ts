// The file formats of other tools that Ralph imports, in the order in which it tries them.
import type { Backlog, Source } from '../../../domain/exchange/backlog.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { readBacklogMd, recognisesBacklogMd } from './backlog-md.ts';
import { readBeads, recognisesBeads } from './beads.ts';
import { readImplementation, recognisesImplementation } from './implementation.ts';
import { type Json, parseJson, parseJsonLines } from './json.ts';
import { readMarkdown, recognisesMarkdown } from './markdown.ts';
import { readPrd, recognisesPrd } from './prd.ts';
import { readTaskMaster, recognisesTaskMaster } from './task-master.ts';

type Format = {
  source: Source;
  /** Names what such a file contains, for a refusal. */
  content: string;
  recognises(text: string): boolean;
  /** `file` is the name that a refusal uses. */
  read(text: string, file: string): Backlog;
};

const BEGINS_LIKE_JSON = /^\s*[{[]/;

const jsonFormat = (
  source: Source,
  content: string,
  recognises: (value: unknown) => boolean,
  read: (value: Json) => Backlog,
): Format => ({
  source,
  content,
  recognises: (text) => recognises(tryJson(text)),
  read: (text, file) => {
    if (!BEGINS_LIKE_JSON.test(text)) throw new Refusal(`${file} is no ${source} file: it is not JSON.`);
    const value = parseJson(text, file);
    if (!recognises(value)) throw new Refusal(`${file} is no ${source} file: it has no ${content}.`);
    return read(value as Json);
  },
});

export const FORMATS: readonly Format[] = [
  jsonFormat('implementation', 'list of specs', recognisesImplementation, readImplementation),
  jsonFormat('prd', 'list of userStories', recognisesPrd, readPrd),
  jsonFormat('task-master', 'tags with tasks', recognisesTaskMaster, readTaskMaster),
  {
    source: 'beads',
    content: 'issues, one a line',
    recognises: (text) => recognisesBeads(tryJson(text.trimStart().split('\n', 1)[0] ?? '')),
    read: (text, file) => readBeads(parseJsonLines(text, file, recognisesBeads)),
  },
  {
    source: 'backlog-md',
    content: 'id in front',
    recognises: recognisesBacklogMd,
    read: (text, file) => {
      if (!recognisesBacklogMd(text))
        throw new Refusal(`${file} is no task of Backlog.md: it does not begin with "---" and an id.`);
      return readBacklogMd(text);
    },
  },
  {
    source: 'markdown',
    content: 'checklist',
    recognises: recognisesMarkdown,
    read: (text, file) => {
      if (!recognisesMarkdown(text))
        throw new Refusal(`${file} is no checklist: no line begins with "- [ ]".`);
      return readMarkdown(text);
    },
  },
];

/** Ralph's own definitions, which `project/definitions` reads. */
const DEFINITIONS = /^(?:metadata|disciplines|features|tasks|learnings)\s*:/m;

/** Finds the format by content: the name of the file says little. */
export function recognise(text: string, file: string): Source | 'yaml' {
  if (text.trim() === '') throw new Refusal(`${file} is empty; there is nothing to import.`);
  // Its description may have a line such as "tasks:".
  if (recognisesBacklogMd(text)) return 'backlog-md';
  if (DEFINITIONS.test(text)) return 'yaml';
  const found = FORMATS.find(({ recognises }) => recognises(text));
  if (found !== undefined) return found.source;
  // A file that begins like JSON is meant to be JSON, so the refusal says where the JSON is wrong.
  if (BEGINS_LIKE_JSON.test(text) && !isDefinitions(parseJson(text, file)))
    throw new Refusal(
      `${file} is JSON in a format that Ralph does not recognise; name the format with --as: yaml, ${FORMATS.map(({ source }) => source).join(', ')}.`,
    );
  // A YAML parser takes Markdown headings for comments, and would silently import nothing.
  if (/\.(md|markdown)$/i.test(file))
    throw new Refusal(
      `${file} has no checklist: no line begins with "- [ ]". To make tasks from a specification: ralph plan ${file}`,
    );
  return 'yaml';
}

const isDefinitions = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).some((key) => DEFINITIONS.test(`${key}:`));

export function readBacklog(text: string, file: string, source: Source): Backlog {
  const format = FORMATS.find((one) => one.source === source);
  if (format === undefined) throw new Error(`there is no reader for ${source}`);
  return format.read(text, file);
}

function tryJson(text: string): unknown {
  if (!BEGINS_LIKE_JSON.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
