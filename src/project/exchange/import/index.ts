// The file formats of other tools that Ralph imports, in the order in which it tries them.
import type { Backlog, Source } from '../../../domain/exchange/backlog.ts';
import { Refusal } from '../../../domain/refusal.ts';
import { readBacklogMd, recognisesBacklogMd } from './backlog-md.ts';
import { readBeads, recognisesBeads } from './beads.ts';
import { readCcpm, recognisesCcpm } from './ccpm.ts';
import { readClaudeTasks, recognisesClaudeTasks } from './claude-tasks.ts';
import { type CsvRow, csvHeader, parseCsv } from './csv.ts';
import { readGithub, recognisesGithub } from './github.ts';
import { readImplementation, recognisesImplementation } from './implementation.ts';
import { readJira, recognisesJira } from './jira.ts';
import { type Json, parseJson, parseJsonLines } from './json.ts';
import { readLinear, recognisesLinear } from './linear.ts';
import { readMarkdown, recognisesMarkdown } from './markdown/read-markdown.ts';
import { readPrd, recognisesPrd } from './prd.ts';
import { readTaskMaster, recognisesTaskMaster } from './task-master.ts';

type Format = {
  source: Source;
  /** Names what such a file contains, for a refusal. */
  content: string;
  recognises(text: string, file: string): boolean;
  /** `file` is the name that a refusal uses. */
  read(text: string, file: string): Backlog;
};

const BEGINS_LIKE_JSON = /^\s*[{[]/;

function jsonFormat<Value>(
  source: Source,
  content: string,
  recognises: (value: unknown) => boolean,
  read: (value: Value) => Backlog,
): Format {
  return {
    source,
    content,
    recognises: (text) => recognises(tryJson(text)),
    read: (text, file) => {
      if (!BEGINS_LIKE_JSON.test(text)) throw new Refusal(`${file} is no ${source} file: it is not JSON.`);
      const value = parseJson(text, file);
      if (!recognises(value)) throw new Refusal(`${file} is no ${source} file: it has no ${content}.`);
      return read(value as Value);
    },
  };
}

const csvFormat = (
  source: Source,
  content: string,
  recognises: (columns: readonly string[]) => boolean,
  read: (rows: readonly CsvRow[]) => Backlog,
): Format => ({
  source,
  content,
  recognises: (text) => recognises(csvHeader(text)),
  read: (text, file) => {
    if (!recognises(csvHeader(text)))
      throw new Refusal(`${file} is no ${source} file: it has no ${content}.`);
    return read(parseCsv(text, file));
  },
});

export const FORMATS: readonly Format[] = [
  jsonFormat<Json>('implementation', 'list of specs', recognisesImplementation, readImplementation),
  jsonFormat<Json>('task-master', 'tags with tasks', recognisesTaskMaster, readTaskMaster),
  jsonFormat('claude-tasks', 'tasks with a subject', recognisesClaudeTasks, (value) =>
    readClaudeTasks(value),
  ),
  jsonFormat<Json[]>('github', 'issues with a number and a title', recognisesGithub, readGithub),
  jsonFormat('prd', 'list of stories', recognisesPrd, readPrd),
  {
    source: 'beads',
    content: 'issues, one a line',
    recognises: (text) => recognisesBeads(tryJson(text.trimStart().split('\n', 1)[0] ?? '')),
    read: (text, file) => readBeads(parseJsonLines(text, file, recognisesBeads)),
  },
  csvFormat('jira', 'columns Issue key and Summary', recognisesJira, readJira),
  csvFormat('linear', 'columns ID, Team, Title and Status', recognisesLinear, readLinear),
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
    source: 'ccpm',
    content: 'name and status in front',
    recognises: recognisesCcpm,
    read: readCcpmFile,
  },
  {
    source: 'markdown',
    content: 'checklist',
    recognises: recognisesMarkdown,
    read: (text, file) => {
      if (!recognisesMarkdown(text, file))
        throw new Refusal(`${file} is no checklist: no line begins with "- [ ]".`);
      return readMarkdown(text, file);
    },
  },
];

/** One task of an epic. The epic itself only lists them. */
function readCcpmFile(text: string, file: string): Backlog {
  if (!recognisesCcpm(text))
    throw new Refusal(`${file} is no task of ccpm: it does not begin with "---", a name and a status.`);
  const [name = file, epic] = file.split(/[\\/]/).reverse();
  if (/^epic\.md$/i.test(name))
    throw new Refusal(`${file} describes tasks that have files of their own; import its folder.`);
  return readCcpm([{ path: name, text }], epic ?? null, null);
}

/** Ralph's own definitions, which `project/definitions` reads. */
const DEFINITIONS = /^(?:metadata|disciplines|features|tasks|learnings)\s*:/;

/** The first line that is neither blank nor a comment decides: such a line may occur anywhere in Markdown. */
const beginsLikeDefinitions = (text: string): boolean =>
  DEFINITIONS.test(text.split('\n').find((line) => !/^\s*(?:#|$|---\s*$|%)/.test(line)) ?? '');

const isMarkdownName = (file: string): boolean => /\.(md|markdown)$/i.test(file);

/** Finds the format by content: the name of the file says little. */
export function recognise(text: string, file: string): Source | 'yaml' {
  if (text.trim() === '') throw new Refusal(`${file} is empty; there is nothing to import.`);
  if (!isMarkdownName(file) && beginsLikeDefinitions(text)) return 'yaml';
  const found = FORMATS.find(({ recognises }) => recognises(text, file));
  if (found !== undefined) return found.source;
  // A file that begins like JSON is meant to be JSON, so the refusal says where the JSON is wrong.
  if (BEGINS_LIKE_JSON.test(text) && !isDefinitions(parseJson(text, file)))
    throw new Refusal(
      `${file} is JSON in a format that Ralph does not recognise; name the format with --as: yaml, ${FORMATS.map(({ source }) => source).join(', ')}.`,
    );
  // A YAML parser takes Markdown headings for comments, and would silently import nothing.
  if (isMarkdownName(file))
    throw new Refusal(
      `${file} has no checklist: no line begins with "- [ ]". To make tasks from a specification: ralph plan ${file}`,
    );
  if (/\.csv$/i.test(file))
    throw new Refusal(
      `${file} has none of the columns that Jira (Issue key, Summary) or Linear (ID, Team, Title, Status) write; export it there as CSV.`,
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
