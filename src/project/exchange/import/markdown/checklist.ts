// Reads checklists as people write them: boxes are tasks, indented boxes are subtasks, headings are features.
import { freeName } from '../../../../domain/exchange/backlog.ts';
import type { Status } from '../../../../domain/tasks/task.ts';
import type { Collector } from '../collect.ts';
import { withoutMarks } from '../title.ts';
import { type Label, type OrderedBox, orderBoxes, readLabel } from './box.ts';
import { allSections, type Box, countFilled, outdented, type Section } from './document.ts';
import { readItems } from './sections.ts';

export const BOXES: Readonly<Record<string, Status>> = {
  '[ ]': 'pending',
  '[/]': 'pending',
  '[~]': 'pending',
  '[x]': 'done',
  '[-]': 'skipped',
  // Kiro works on an optional box only if a person asks for it.
  '[ ]*': 'skipped',
};

const BOX_WORDS: Readonly<Record<string, string>> = {
  '[x]': 'ticked off',
  '[-]': 'crossed out',
  '[ ]*': 'optional',
};

/** Longer text of a section is not repeated in each of its tasks. */
const MAX_CONTEXT = 2_000;

/** `owner`: the feature of all tasks, if the file belongs to a folder that is one. */
export function readChecklist(collector: Collector, root: Section, owner: string | null): void {
  const sections = allSections(root);
  // A single heading of level 1 is the title of the document; several are its chapters.
  const featureLevel = sections.filter(({ level }) => level === 1).length > 1 ? 1 : 2;
  const isOurs = sections.some(({ boxes }) => boxes.some(({ mark }) => mark !== null));
  const items = sections.flatMap((section, phase) =>
    isRemark(section) ? [] : section.boxes.map((box) => ({ box, section, phase, label: boxLabel(box) })),
  );
  const ids = assignIds(items, featureLevel);
  const ordered = items.map(
    ({ box, label, phase }): OrderedBox => ({
      box,
      id: ids.get(box) ?? '',
      isParallel: label.isParallel,
      phase,
    }),
  );
  const waits = isNumbered(items)
    ? orderBoxes(ordered, (text) => collector.problem(text))
    : new Map<Box, readonly string[]>();
  const used = new Set(items.map(({ section }) => ancestorAt(section, owner === null ? featureLevel : 0)));
  const features = new Map(owner === null ? [...used].map((one) => [one, addFeature(collector, one)]) : []);
  for (const item of items)
    addItem(collector, item, {
      id: ids.get(item.box) ?? '',
      parent: item.box.parent === null ? null : (ids.get(item.box.parent) ?? null),
      depends_on: waits.get(item.box) ?? [],
      feature: owner ?? features.get(ancestorAt(item.section, featureLevel)) ?? null,
      context: sectionContext(item.section, owner === null ? featureLevel : 1),
    });
  // A checklist that Ralph wrote has lines that only repeat the queue; they are no loss.
  if (!isOurs) reportLosses(collector, sections, used, owner === null ? featureLevel : 0);
}

type Item = { box: Box; section: Section; phase: number; label: Label };

/** In a marked line Ralph wrote the number in front of the title, for people. Nothing else of it is read. */
function boxLabel({ label, mark }: Box): Label {
  if (mark === null) return readLabel(label);
  const title = label.replace(/^#\d+ /, '');
  return { code: null, number: null, isParallel: false, tags: [], words: title, title, rest: null };
}

/** All boxes have a number or a code: then their order is meant. */
const isNumbered = (items: readonly Item[]): boolean =>
  items.length > 1 &&
  items.every(({ box, label }) => box.parent !== null || label.code !== null || label.number !== null);

const isRemark = ({ kind, parent }: Section): boolean =>
  kind !== null || (parent !== null && isRemark(parent));

const ancestorAt = (section: Section, level: number): Section | null =>
  section.level === level ? section : section.parent === null ? null : ancestorAt(section.parent, level);

/** People write no ids into checklists, so the id is the place: heading, parents, words. A code is an id. */
function assignIds(items: readonly Item[], featureLevel: number): Map<Box, string> {
  const used = new Set<string>();
  const ids = new Map<Box, string>();
  for (const { box, section, label } of items) {
    const heading = ancestorAt(section, featureLevel)?.label ?? '';
    const below = section.level > featureLevel ? section.label : '';
    // Without their numbers, which change whenever a heading is added.
    const headings = [heading, below].map((label) => readLabel(label).words);
    const place = box.parent === null ? headings : [ids.get(box.parent) ?? ''];
    const wanted = box.mark ?? label.code ?? [...place, label.words].filter(Boolean).join(' / ');
    const id = freeName(wanted, used);
    used.add(id);
    ids.set(box, id);
  }
  return ids;
}

function addItem(
  collector: Collector,
  { box, label }: Item,
  place: {
    id: string;
    parent: string | null;
    depends_on: readonly string[];
    feature: string | null;
    context: string;
  },
): void {
  const { id, parent, depends_on, feature, context } = place;
  const state = box.isOptional && box.box === '[ ]' ? '[ ]*' : box.box;
  // Ralph wrote the text below a marked line, so it is not imported; only title, box and place are.
  const isOurs = box.mark !== null;
  const parts = [parent === null ? context : '', label.rest ?? '', outdented(box.body)];
  const tags = [...label.tags, ...(box.isOptional ? ['optional'] : [])];
  collector.task({
    id,
    place: label.title,
    title: label.title,
    parent,
    depends_on,
    status: collector.status(id, state, BOXES),
    original_status: BOX_WORDS[state] ?? 'open',
    fields: {
      feature,
      description: isOurs ? null : parts.filter((part) => part !== '').join('\n\n') || null,
      tags,
    },
    times: {},
    leftovers: {},
  });
}

/** The headings between feature and task, and what they say. */
function sectionContext(section: Section, featureLevel: number): string {
  const path: Section[] = [];
  for (let one: Section | null = section; one !== null && one.level > featureLevel; one = one.parent)
    path.unshift(one);
  if (path.length === 0) return '';
  const head = `Part of: ${path.map(({ label }) => withoutMarks(label)).join(' › ')}`;
  return [head, ...path.map(sectionProse)].filter((part) => part !== '').join('\n\n');
}

const sectionProse = ({ prose }: Section): string => {
  const text = outdented(prose);
  return text.length > MAX_CONTEXT ? '' : text;
};

function addFeature(collector: Collector, section: Section | null): string | null {
  if (section === null) return null;
  const { label, mark, prose } = section;
  if (mark !== null) return collector.feature(mark, label === mark ? {} : { display_name: label });
  const criteria = allSections(section).filter(({ kind }) => kind === 'criteria');
  return collector.feature(label, {
    description: outdented(prose) || null,
    acceptance_criteria: criteria.flatMap(sectionItems),
  });
}

export const sectionItems = ({ prose, boxes }: Section): string[] => [
  ...readItems(prose),
  ...boxes.flatMap(({ label, body }) => readItems([`- ${label}`, ...body])),
];

/** What belongs to no task and no feature. `used`: the headings that are features. */
function reportLosses(
  collector: Collector,
  sections: readonly Section[],
  used: ReadonlySet<Section | null>,
  featureLevel: number,
): void {
  const holdsTasks = new Set<Section>();
  for (const section of sections.filter((one) => one.boxes.length > 0 && !isRemark(one)))
    for (let one: Section | null = section; one !== null; one = one.parent) holdsTasks.add(one);
  let [lines, boxes] = [0, 0];
  for (const section of sections) {
    const feature = ancestorAt(section, featureLevel);
    const isUsed = feature !== null && used.has(feature);
    if (isRemark(section)) {
      if (section.kind === 'criteria' && isUsed) continue;
      lines += countFilled(section.prose);
      boxes += section.boxes.length;
    } else {
      const isDescription = section.level === featureLevel && isUsed;
      const isContext =
        section.level > featureLevel && holdsTasks.has(section) && sectionProse(section) !== '';
      if (!isDescription && !isContext) lines += countFilled(section.prose);
    }
  }
  if (lines > 0)
    collector.problem(`Lines of text that belong to no task and no feature were left out: ${lines}.`);
  if (boxes > 0)
    collector.problem(
      `Boxes under headings such as Notes or Definition of Done are no tasks; left out: ${boxes}.`,
    );
}
