// Reads checklists as people write them: boxes are tasks, indented boxes are subtasks, headings are features.
import type { Backlog } from '../../../domain/exchange/backlog.ts';
import { freeName } from '../../../domain/exchange/free-name.ts';
import type { Status } from '../../../domain/tasks/task.ts';
import { type Collector, collect } from './collect.ts';

const ITEM = /^(\s*)(?:[-*+]|\d+[.)])\s+\[(.)\]\s+(\S.*)$/u;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const FENCE = /^\s*(?:```|~~~)/;
/** The mark that Ralph writes behind its own lines: the number of a task, or the name of a feature. */
const MARK = /\s*<!-- ralph:([^<>]+) -->\s*$/;

const BOXES: Readonly<Record<string, Status>> = {
  '[ ]': 'pending',
  '[/]': 'pending',
  '[~]': 'pending',
  '[x]': 'done',
  '[-]': 'skipped',
};

const STATUS_WORDS: Readonly<Record<string, string>> = { '[x]': 'ticked off', '[-]': 'crossed out' };

type Heading = { label: string; mark: string | null; prose: string[] };

type Item = {
  id: string;
  title: string;
  mark: string | null;
  box: string;
  indent: number;
  parent: Item | null;
  heading: Heading | null;
  /** A heading below that of the feature. */
  section: string | null;
  body: string[];
};

const splitLines = (text: string): string[] => text.split(/\r?\n/);

export const recognisesMarkdown = (text: string): boolean => splitLines(text).some((line) => ITEM.test(line));

export function readMarkdown(text: string): Backlog {
  const collector = collect();
  const { items, strayLines } = readItems(splitLines(text));
  for (const item of items) addItem(collector, item);
  // A checklist that Ralph wrote has lines that only repeat the queue; they are no loss.
  if (strayLines > 0 && items.every(({ mark }) => mark === null))
    collector.problem(`Lines of text that belong to no task and no feature were left out: ${strayLines}.`);
  return collector.backlog({ source: 'markdown', board: null, isOneBoard: false, partsFirst: true });
}

function readItems(lines: readonly string[]): { items: Item[]; strayLines: number } {
  // A single heading of level 1 is the title of the document; several are its chapters.
  const featureLevel = lines.filter((line) => /^#\s/.test(line)).length > 1 ? 1 : 2;
  const items: Item[] = [];
  const usedIds = new Set<string>();
  let heading: Heading | null = null;
  let section: string | null = null;
  /** The boxes that the next box or line may belong to, outermost first. */
  let open: Item[] = [];
  /** A code block is copied unchanged to the owner of its first line. */
  const code: { isOpen: boolean; owner?: Item | undefined } = { isOpen: false };
  let strayLines = 0;
  for (const line of lines) {
    const indent = indentWidth(line.slice(0, line.length - line.trimStart().length));
    const owner = code.isOpen ? code.owner : open.findLast((one) => one.indent < indent);
    const isFence = FENCE.test(line);
    const isCode = code.isOpen || isFence;
    if (isFence) Object.assign(code, { isOpen: !code.isOpen, owner });
    const [title, box] = isCode ? [null, null] : [HEADING.exec(line), ITEM.exec(line)];
    if (title !== null) {
      const [, hashes = '', words = ''] = title;
      const { label, mark } = splitMark(words);
      section = hashes.length > featureLevel ? label : null;
      if (hashes.length === featureLevel) heading = { label, mark, prose: [] };
      if (hashes.length < featureLevel) heading = null;
      open = [];
    } else if (box !== null) {
      const item = parseItem(box, open, heading, section, usedIds);
      items.push(item);
      open = [...open.filter((one) => one.indent < item.indent), item];
    } else if (line.trim() !== '') {
      if (owner !== undefined) owner.body.push(line);
      else if (open.length === 0 && heading !== null && section === null) heading.prose.push(line);
      else strayLines += 1;
    }
  }
  return { items, strayLines };
}

function splitMark(words: string): { label: string; mark: string | null } {
  const mark = MARK.exec(words)?.[1]?.replace(/%(?:3C|3E|25)/g, decodeURIComponent) ?? null;
  return { label: words.replace(MARK, '').trim(), mark };
}

const indentWidth = (space: string): number => space.replaceAll('\t', '    ').length;

/** People write no ids into checklists, so the id is the place: heading, parents, title. */
function parseItem(
  [, space = '', box = ' ', words = '']: RegExpExecArray,
  open: readonly Item[],
  heading: Heading | null,
  section: string | null,
  usedIds: Set<string>,
): Item {
  const indent = indentWidth(space);
  const parent = open.findLast((one) => one.indent < indent) ?? null;
  const { label, mark } = splitMark(words);
  // In a marked line Ralph wrote the number in front of the title, for people.
  const title = mark === null ? label : label.replace(/^#\d+ /, '');
  const path = [...(parent === null ? [heading?.label, section] : [parent.id]), title].filter(Boolean);
  const id = freeName(mark ?? path.join(' / '), usedIds);
  usedIds.add(id);
  return { id, title, mark, box: `[${box.toLowerCase()}]`, indent, parent, heading, section, body: [] };
}

function addItem(collector: Collector, item: Item): void {
  const { id, title, mark, box, heading, section, parent, body } = item;
  // Ralph wrote the text below a marked line, so it is not imported; only title, box and place are.
  const isOurs = mark !== null;
  collector.task({
    id,
    place: title,
    title,
    parent: parent?.id ?? null,
    status: collector.status(id, box, BOXES),
    original_status: STATUS_WORDS[box] ?? 'open',
    fields: {
      feature: heading === null ? null : addFeature(collector, heading),
      description: isOurs || body.length === 0 ? null : outdented(body),
    },
    times: {},
    leftovers: section === null || isOurs ? {} : { section },
  });
}

const addFeature = (collector: Collector, { label, mark, prose }: Heading): string | null =>
  mark === null
    ? collector.feature(label, { description: prose.length === 0 ? null : prose.join('\n') })
    : collector.feature(mark, label === mark ? {} : { display_name: label });

function outdented(lines: readonly string[]): string {
  const least = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(least)).join('\n');
}
