// Parses words of the command line into values; a wrong word is a usage error.
import { Argument, InvalidArgumentError, Option } from 'commander';
import { EFFORTS, type Effort, PRIORITIES, TASK_KINDS } from '../domain/tasks/task.ts';
import type { TaskEdit } from '../queue/tasks/edit.ts';

export function parseId(word: string): number {
  if (!/^#?\d{1,15}$/.test(word)) throw new InvalidArgumentError('Give a number such as 7.');
  return Number(word.replace('#', ''));
}

export function parseCount(word: string): number {
  const count = parseId(word);
  if (count === 0) throw new InvalidArgumentError('Give a number such as 7.');
  return count;
}

export function parseWholeNumber(word: string): number {
  if (/^\d{1,15}$/.test(word)) return Number(word);
  throw new InvalidArgumentError('Give a whole number, 0 or more.');
}

const MAX_JOBS = 64;

export function parseJobs(word: string): number {
  if (/^\d{1,5}$/.test(word) && Number(word) >= 1 && Number(word) <= MAX_JOBS) return Number(word);
  throw new InvalidArgumentError(`Give a number from 1 to ${MAX_JOBS}.`);
}

export function parsePort(word: string): number {
  if (/^\d{1,5}$/.test(word) && Number(word) < 65_536) return Number(word);
  throw new InvalidArgumentError('Give a number from 0 to 65535.');
}

const parseIds = (word: string): number[] =>
  word.trim() === '' ? [] : word.split(',').map((part) => parseId(part.trim()));

export const collectIds = (word: string, earlier: number[] | undefined): number[] => [
  ...(earlier ?? []),
  parseId(word),
];

/** An empty word is an empty list. */
export const parseWords = (words: string): string[] => [
  ...new Set(
    words
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  ),
];

/** For an option that may be given more than once. */
export const collectWords = (word: string, earlier: readonly string[] = []): string[] => [...earlier, word];

export const taskId = (): Argument => new Argument('<id>', 'number of the task').argParser(parseId);
export const taskIds = (): Argument => new Argument('<ids...>', 'numbers of the tasks').argParser(collectIds);

export const optionalTaskIds = (description: string): Argument =>
  new Argument('[ids...]', description).argParser(collectIds);

/** An empty word clears it, which a list of choices would refuse. */
function parseEffort(word: string): Effort | '' {
  const level = EFFORTS.find((one) => one === word);
  if (level !== undefined || word === '') return level ?? '';
  throw new InvalidArgumentError(`Give one of ${EFFORTS.join(', ')}.`);
}

export const effortOption = (): Option =>
  new Option('--effort <level>', `how hard the model thinks: ${EFFORTS.join(', ')}`).argParser(parseEffort);

export const namedAgentOption = (): Option =>
  new Option('--agent <name>', 'agent for every try, such as claude or codex');

/** The options that `add` and `edit` share. */
export const taskOptions = (): Option[] => [
  new Option('--feature <name>', 'feature that the task belongs to'),
  new Option('--discipline <name>', 'discipline of the task'),
  new Option('--priority <priority>', 'how urgent it is').choices(PRIORITIES),
  new Option('--kind <kind>', 'kind of task; for investigate no file has to change').choices(TASK_KINDS),
  new Option('--depends-on <ids>', 'tasks that must be done first, such as 1,2').argParser(parseIds),
  namedAgentOption(),
  effortOption(),
  new Option('--tags <tags>', 'words to filter by, such as ui,forms').argParser(parseWords),
  new Option('--needs <labels>', 'labels that a run must have to work on it, such as gpu').argParser(
    parseWords,
  ),
  new Option('--description <text>', 'what to do, in detail'),
];

export type TaskOptions = {
  title?: string;
  feature?: string;
  discipline?: string;
  priority?: (typeof PRIORITIES)[number];
  kind?: (typeof TASK_KINDS)[number];
  agent?: string;
  effort?: Effort | '';
  dependsOn?: number[];
  tags?: string[];
  needs?: string[];
  description?: string;
};

/** An empty word clears the field. */
export function toEdit({
  dependsOn,
  feature,
  discipline,
  description,
  agent,
  effort,
  ...fields
}: TaskOptions): TaskEdit {
  return {
    ...fields,
    ...(feature !== undefined && { feature: feature || null }),
    ...(discipline !== undefined && { discipline: discipline || null }),
    ...(agent !== undefined && { agent: agent || null }),
    ...(effort !== undefined && { effort: effort || null }),
    ...(description !== undefined && { description: description || null }),
    ...(dependsOn !== undefined && { depends_on: dependsOn }),
  };
}

export const agentOptions = (): Option[] => [
  new Option('--budget <usd>', 'spend at most this many US dollars').argParser(parseNumber),
  new Option('--agent <name>', 'use this agent, such as claude or codex'),
  new Option('--model <name>', 'use this model'),
];

export function parseNumber(word: string): number {
  const number = Number(word);
  if (word.trim() !== '' && Number.isFinite(number) && number > 0) return number;
  throw new InvalidArgumentError('Give a number above 0.');
}
