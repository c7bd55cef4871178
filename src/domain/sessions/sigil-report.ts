// What an agent without MCP reports: the tags in its last text, and why others do not count.
import { truncate } from '../text/text.ts';
import { findTags, nextModelIn, type Sigil, type Tag, withoutTags } from './sigil.ts';

/** What an agent printed last, without empty lines. */
type LastOutput = {
  lines: readonly string[];
  /** Where its last text begins; the lines before it only tell whether that is within a block of code. */
  first: number;
  /** Tags in still earlier lines. */
  earlier: readonly string[];
};

export type SigilReport = {
  /** What it says about its task, with the text around it. */
  closing: { sigil: Exclude<Sigil, { kind: 'next_model' }>; words: string } | null;
  /** Whether it says that the whole project is complete. */
  claimsCompletion: boolean;
  /** Whether it says that nothing can go on. */
  gaveUp: boolean;
  next_model: string | null;
  /** Why tags do not count, in sentences. */
  notices: readonly string[];
};

/** How many lines of plain output are the last text. */
export const LAST_TEXT_LINES = 40;

/** More would only repeat themselves. */
const MAX_NOTICES = 5;

export function readReport({ lines, first, earlier }: LastOutput, task_id: number): SigilReport {
  const tags = findTags(lines);
  const own = tags.filter(({ isQuoted, line }) => !isQuoted && line >= first);
  const verdicts = own.filter((tag) => isVerdict(tag, task_id));
  const promise = (kind: 'complete' | 'failure'): Tag | undefined =>
    own.findLast(({ sigil }) => sigil?.kind === kind);
  // A promise is about the project. It is also about the task only if no other tag is.
  const counted = verdicts.at(-1) ?? promise('failure') ?? promise('complete');
  const notices = [
    ...own.flatMap((tag) => misreadNotice(tag, task_id)),
    ...verdicts.slice(0, -1).map((tag) => repeatNotice(tag, verdicts.at(-1) ?? tag)),
    ...(counted === undefined ? ignoredNotices(tags, first, earlier, task_id) : []),
  ];
  return {
    closing: findClosing(counted, lines, first),
    claimsCompletion: promise('complete') !== undefined,
    gaveUp: promise('failure') !== undefined,
    next_model: nextModelIn(lines.slice(first)),
    notices: [...new Set(notices)].slice(0, MAX_NOTICES),
  };
}

function findClosing(tag: Tag | undefined, lines: readonly string[], first: number): SigilReport['closing'] {
  const sigil = tag?.sigil ?? null;
  if (tag === undefined || sigil === null || sigil.kind === 'next_model') return null;
  return { sigil, words: wordsAround(lines, first, tag.line) };
}

/** Enough lines to explain a tag, and no more than a person reads. */
const [EXPLAINING_LINES, LINE_CHARACTERS] = [12, 500];

/** What it says before the tag and beside it; what it says after it, if that is nothing. */
function wordsAround(lines: readonly string[], first: number, line: number): string {
  const join = (some: readonly string[]): string =>
    some
      .map((text) => withoutTags(text).slice(0, LINE_CHARACTERS).trimEnd())
      .join('\n')
      .trim();
  return (
    join(lines.slice(Math.max(first, line - EXPLAINING_LINES), line + 1)) ||
    join(lines.slice(line + 1, line + 1 + EXPLAINING_LINES))
  );
}

function isVerdict({ sigil }: Tag, task_id: number): boolean {
  if (sigil?.kind === 'done' || sigil?.kind === 'failed') return (sigil.task_id ?? task_id) === task_id;
  return sigil?.kind === 'blocked';
}

function misreadNotice(tag: Tag, task_id: number): string[] {
  const { sigil } = tag;
  if (sigil === null) return [`It printed ${shown(tag.text)}, which is not a tag that Ralph knows.`];
  const isOther = (sigil.kind === 'done' || sigil.kind === 'failed') && !isVerdict(tag, task_id);
  return isOther ? [`It spoke of task ${sigil.task_id}, but was given task ${task_id}.`] : [];
}

const repeatNotice = ({ text }: Tag, last: Tag): string =>
  text === last.text
    ? `It printed ${shown(text)} more than once; it counts once.`
    : `It printed ${shown(text)} before ${shown(last.text)}; the last one counts.`;

/** Told only if nothing counted: an agent that reported well may quote what it likes. */
function ignoredNotices(
  tags: readonly Tag[],
  first: number,
  earlier: readonly string[],
  task_id: number,
): string[] {
  const closes = (tag: Tag): boolean =>
    isVerdict(tag, task_id) || tag.sigil?.kind === 'complete' || tag.sigil?.kind === 'failure';
  const ignored = tags.filter(closes);
  const quoted = ignored.findLast(({ isQuoted }) => isQuoted)?.text;
  const early = ignored.findLast(({ isQuoted, line }) => !isQuoted && line < first)?.text ?? earlier.at(-1);
  return [
    ...(quoted === undefined
      ? []
      : [`It printed ${shown(quoted)} in a quotation or in code, where a tag does not count.`]),
    ...(early === undefined
      ? []
      : [`It printed ${shown(early)} before its last text, where a tag does not count.`]),
  ];
}

const shown = (text: string): string => truncate(text, 120);
