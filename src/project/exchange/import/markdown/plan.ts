// Reads plans in which a heading is the task: "### Task 3: Parse dates", with boxes as its steps or criteria.
import type { Status } from '../../../../domain/tasks/task.ts';
import type { Collector } from '../collect.ts';
import { saysCommit } from '../content.ts';
import { cutAtSentence, SHORT_TITLE, withoutMarks } from '../title.ts';
import { STATUS_WORDS } from '../words.ts';
import { BOXES, sectionItems } from './checklist.ts';
import { allSections, type Box, outdented, type Section } from './document.ts';

type TaskHeading = { section: Section; id: string; words: string; isNumbered: boolean };

const NUMBERED = /^(Task|Story|Iteration|Issue)\s+#?(\d{1,4}(?:\.\d{1,4}){0,3}[a-z]?)\b\s*[:.)–—-]*\s*(.*)$/i;
const CODED = /^([A-Z][A-Z0-9]{1,9}-\d{1,6})\s*[:.–—-]+\s*(\S.*)$/;
const GROUP = /^(?:epic|phase|milestone|chunk|part|module)\b/i;

/** Records that a tool keeps for itself, and words to another agent. */
const TOOL_RECORDS = /^(?:dev agent record|change ?log|qa results|file list|senior developer review)/i;
const TO_OTHERS = /^>\s*\*\*For (?:Claude|agentic workers)\b/i;

const STORY_STATUSES: Readonly<Record<string, Status>> = {
  ...STATUS_WORDS,
  drafted: 'draft',
  approved: 'pending',
  'ready-for-dev': 'pending',
  'ready for dev': 'pending',
  'ready for review': 'pending',
  'ready-for-review': 'pending',
};

/** The outermost headings that are tasks; none if the boxes are. */
export function findTaskHeadings(root: Section): TaskHeading[] {
  const sections = allSections(root);
  if (
    sections.some(({ boxes }) => boxes.some(({ label, mark }) => mark !== null || /^\W*T\d{3}\b/.test(label)))
  )
    return [];
  const found = sections.flatMap((section) => readHeading(section) ?? []);
  const tasks = new Set(found.map(({ section }) => section));
  const outermost = found.filter(({ section }) => !isBelow(section, tasks));
  const hasBoxes = outermost.some(({ section }) =>
    allSections(section).some(({ boxes }) => boxes.length > 0),
  );
  return hasBoxes || outermost.length > 1 ? outermost : [];
}

function readHeading(section: Section): TaskHeading | null {
  const label = withoutMarks(section.label).replace(/^[^\p{L}\p{N}]+/u, '');
  const numbered = NUMBERED.exec(label);
  if (numbered !== null) {
    const [, word = '', number = '', words = ''] = numbered;
    return {
      section,
      id: `${word[0]?.toUpperCase()}${word.slice(1).toLowerCase()} ${number}`,
      words,
      isNumbered: true,
    };
  }
  const coded = section.level > 1 ? CODED.exec(label) : null;
  return coded === null ? null : { section, id: coded[1] ?? '', words: coded[2] ?? '', isNumbered: false };
}

const isBelow = ({ parent }: Section, others: ReadonlySet<Section>): boolean =>
  parent !== null && (others.has(parent) || isBelow(parent, others));

export function readPlan(collector: Collector, root: Section, headings: readonly TaskHeading[]): void {
  const own = new Set(headings.flatMap(({ section }) => allSections(section)));
  const others = allSections(root).filter((section) => !own.has(section));
  const ids = new Map(headings.map(({ id }) => [id.toLowerCase(), id]));
  const links = headings.map((heading) => findLinks(heading, ids));
  // A plan that names no dependency is meant to be followed from top to bottom.
  const isSequence = links.every((ids) => ids.length === 0);
  const groups = headings.map(({ section }) => addGroup(collector, section));
  const isUngrouped = headings.some(({ section }, index) => section.level > 1 && groups[index] === null);
  const document = isUngrouped ? addDocument(collector, others) : null;
  for (const [index, heading] of headings.entries()) {
    const before = headings[index - 1];
    const isNext = isSequence && heading.isNumbered && before?.isNumbered;
    addTask(collector, heading, {
      feature: groups[index] ?? document,
      depends_on: isNext && before !== undefined ? [before.id] : (links[index] ?? []),
    });
  }
  const boxes = others.reduce((sum, section) => sum + section.boxes.length, 0);
  if (boxes > 0) collector.problem(`Boxes outside of the headings that are tasks were left out: ${boxes}.`);
}

function addTask(
  collector: Collector,
  { section, id, words }: TaskHeading,
  { feature, depends_on }: { feature: string | null; depends_on: readonly string[] },
): void {
  const parts = allSections(section);
  const records = parts.filter((part) => part !== section && isRecordOfTool(part, section));
  const taskParts = parts.filter((part) => !records.includes(part));
  for (const { label } of records.filter(({ parent }) => parent === section)) collector.dropped(label);
  const criteria = taskParts.filter(({ kind }) => kind === 'criteria');
  const steps = taskParts.filter(({ kind }) => kind !== 'criteria').flatMap(({ boxes }) => boxes);
  const statusWord = findStatus(taskParts);
  const title = cutAtSentence(words, SHORT_TITLE);
  const text = taskParts.filter(({ kind }) => kind !== 'criteria').map((part) => partText(part, section));
  collector.task({
    id,
    place: id,
    title: title === '' ? id : title,
    parent: null,
    depends_on,
    status: statusWord === null ? boxStatus(steps) : collector.status(id, statusWord, STORY_STATUSES),
    original_status: statusWord ?? (boxStatus(steps) === 'pending' ? 'open' : 'ticked off'),
    fields: {
      feature,
      description: [title === words ? '' : words, ...text].filter((part) => part !== '').join('\n\n') || null,
      acceptance_criteria: criteria.flatMap(sectionItems),
      pseudocode: writeSteps(collector, steps),
    },
    times: {},
    leftovers: {},
  });
}

const isRecordOfTool = (part: Section, task: Section): boolean =>
  part !== task &&
  (TOOL_RECORDS.test(part.label) || (part.parent !== null && isRecordOfTool(part.parent, task)));

/** "Status: done", as a line or as a section. */
const STATUS = /^\W*status\W*:\W*(\w[\w -]{0,30}?)\W*$/i;

function findStatus(parts: readonly Section[]): string | null {
  const section = parts.find(({ label }) => /^status$/i.test(label.trim()));
  const [word] = (section?.prose ?? [])
    .map((line) => line.replace(/[*_`]/g, '').trim())
    .filter((line) => line !== '');
  if (word !== undefined) return word.slice(0, 40);
  for (const line of parts.flatMap(({ prose }) => prose)) {
    const found = line.length > 100 ? null : STATUS.exec(line);
    if (found !== null) return found[1] ?? null;
  }
  return null;
}

function boxStatus(boxes: readonly Box[]): Status {
  const states = boxes.filter(({ isOptional }) => !isOptional).map(({ box }) => BOXES[box] ?? 'pending');
  if (states.length === 0 || states.includes('pending')) return 'pending';
  return states.includes('done') ? 'done' : 'skipped';
}

/** The text of a part below the heading of the task, with its own heading in front. */
function partText(part: Section, task: Section): string {
  const lines = part.prose.filter((line) => !STATUS.test(line.slice(0, 100)));
  const text = /^status$/i.test(part.label.trim()) && part !== task ? '' : outdented(lines);
  return part === task || text === '' ? text : `**${part.label.replace(/:$/, '')}**\n\n${text}`;
}

/** Boxes as a list, with what is below each. Those that say to commit are left out, because Ralph commits. */
function writeSteps(collector: Collector, boxes: readonly Box[]): string | null {
  const left = new Set<Box>();
  for (const box of boxes)
    if (saysCommit(box.label) || (box.parent !== null && left.has(box.parent))) left.add(box);
  for (const _ of left) collector.dropped('a step that says to commit');
  const steps = boxes.filter((box) => !left.has(box)).map(stepText);
  return steps.length === 0 ? null : steps.join('\n');
}

function stepText({ box, isOptional, label, depth, body }: Box): string {
  const state = box === '[ ]' ? '' : `${box} `;
  const head = `${'  '.repeat(depth - 1)}- ${state}${withoutMarks(label) || label}${isOptional ? ' (optional)' : ''}`;
  const text = outdented(body);
  const indent = '  '.repeat(depth);
  return text === '' ? head : `${head}\n\n${text.replace(/^(?=.)/gm, indent)}\n`;
}

/** "Depends on: Task 1, Task 2", as a line or as a section. */
function findLinks({ section, id }: TaskHeading, ids: ReadonlyMap<string, string>): string[] {
  const parts = allSections(section);
  const lines = [
    ...parts.filter(({ label }) => /^depend/i.test(label)).flatMap(sectionItems),
    ...parts.flatMap(({ prose }) => prose).filter((line) => LINKS.test(line.slice(0, 200))),
  ];
  const names = lines.flatMap((line) => line.slice(0, 1_000).match(NAME) ?? []);
  const found = names.map((name) => ids.get(name.toLowerCase().replace(/[\s#]+/g, ' ')));
  return [...new Set(found)].filter((one) => one !== undefined && one !== id) as string[];
}

const LINKS = /^\W*(?:depends on|dependencies|blocked by)\b/i;
const NAME =
  /\b(?:(?:task|story|iteration|issue)\s+#?\d{1,4}(?:\.\d{1,4}){0,3}[a-z]?|[A-Z][A-Z0-9]{1,9}-\d{1,6})\b/gi;

function addGroup(collector: Collector, task: Section): string | null {
  for (let above = task.parent; above !== null; above = above.parent)
    if (above.level > 0 && GROUP.test(above.label))
      return collector.feature(above.label, { description: outdented(above.prose) || null });
  return null;
}

/** The document as a feature, with what it says besides its tasks. */
function addDocument(collector: Collector, others: readonly Section[]): string | null {
  const title = others.find(({ level }) => level === 1);
  if (title === undefined) return null;
  const criteria = others.filter(({ kind }) => kind === 'criteria');
  const texts = others
    .filter(({ kind, label }) => kind === null && !GROUP.test(label))
    .flatMap((section) => {
      const own = section.prose.filter((line) => !TO_OTHERS.test(line));
      if (own.length < section.prose.length) collector.dropped('a remark to another agent');
      const text = outdented(own);
      return text === '' ? [] : [section.level < 2 ? text : `**${section.label}**\n\n${text}`];
    });
  return collector.feature(title.label, {
    description: texts.join('\n\n') || null,
    acceptance_criteria: criteria.flatMap(sectionItems),
  });
}
