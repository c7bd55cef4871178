// What a plan would change, for the person who decides about it.
import type { InferredDependency } from '../domain/planning/infer-dependencies.ts';
import type {
  Proposal,
  ProposedChange,
  ProposedFeature,
  ProposedTask,
  TaskChange,
} from '../domain/planning/proposal.ts';
import type { Task } from '../domain/tasks/task.ts';
import { plural } from '../domain/text/text.ts';
import { oneLine, paint } from './terminal/style.ts';
import { clip } from './terminal/table.ts';

type Reference = (id: number) => string;

/** New tasks have no number yet, so they are named by their title. */
export function referenceIn({ added }: Pick<Proposal, 'added'>): Reference {
  const titles = new Map(added.map(({ id, fields }) => [id, fields.title]));
  return (id) => {
    const title = titles.get(id);
    return title === undefined ? `#${id}` : `"${oneLine(title)}"`;
  };
}

/** One line for each dependency that seems to be missing, under a heading. */
export const missingText = (
  missing: readonly InferredDependency[],
  reference: Reference = (id) => `#${id}`,
): string =>
  [
    `${missing.length === 1 ? 'A dependency seems' : `${missing.length} dependencies seem`} to be missing:`,
    ...missing.map(({ task_id, depends_on, file, isShared }) => {
      const [task, writer] = [reference(task_id), reference(depends_on)];
      return isShared
        ? `  ${task} after ${writer}: both write ${oneLine(file)}`
        : `  ${task} after ${writer}, which writes ${oneLine(file)}`;
    }),
  ].join('\n');

export function proposalText(
  proposal: Proposal,
  { columns, color }: { columns: number; color: boolean },
): string {
  const { features, added, changed, left_out } = proposal;
  const reference = referenceIn(proposal);
  const show = (line: string): string => clip(line, columns);
  const lines = [
    ...features.map((one) => paint(show(featureLine(one)), 'green', color)),
    ...added.map((one) => paint(show(taskLine(one, reference)), 'green', color)),
    ...changed.flatMap((one) => [
      paint(show(`~ task #${one.id} ${oneLine(one.title)}`), 'yellow', color),
      ...changeLines(one, reference).map((line) => show(`    ${line}`)),
    ]),
    ...left_out.map((one) => show(leftOutLine(one))),
  ];
  return [...lines, '', `${proposalSummary(proposal)}.`].join('\n');
}

export const leftOutLine = ({ id, title }: Proposal['left_out'][number]): string =>
  `! #${id} ${oneLine(title)}: not changed, because it was edited during the session`;

/** A task that was added under the same title during the session. */
export const twinLine = ({ id, title }: Pick<Task, 'id' | 'title'>): string =>
  `! #${id} ${oneLine(title)}: was added during the session, so it is not added again`;

/** For example: 2 new features, 5 new tasks (3 ready at once), 1 task changed */
function proposalSummary({ features, added, changed }: Proposal): string {
  const ready = added.filter(({ is_ready }) => is_ready).length;
  const parts = [
    ...(features.length > 0 ? [plural(features.length, 'new feature')] : []),
    ...(added.length > 0 ? [`${plural(added.length, 'new task')} (${ready} ready at once)`] : []),
    ...(changed.length > 0 ? [`${plural(changed.length, 'task')} changed`] : []),
  ];
  return parts.length === 0 ? 'Nothing is new' : parts.join(', ');
}

function featureLine({ name, fields }: ProposedFeature): string {
  const { display_name, spec_file, priority, acceptance_criteria } = fields;
  const facts = [
    ...(spec_file === null ? [] : [`from ${oneLine(spec_file)}`]),
    ...(priority === null ? [] : [`priority ${priority}`]),
    acceptance_criteria.length === 1 ? '1 criterion' : `${acceptance_criteria.length} criteria`,
  ];
  const label = display_name === null || display_name === name ? '' : ` (${oneLine(display_name)})`;
  return `+ feature ${oneLine(name)}${label}: ${facts.join(', ')}`;
}

function taskLine({ fields, depends_on, is_ready }: ProposedTask, reference: Reference): string {
  const after = `after ${depends_on.map(reference).join(', ')}`;
  const order = is_ready ? 'ready' : depends_on.length > 0 ? after : 'when its feature is active';
  return `+ task ${oneLine(fields.title)}${taskPlace(fields)}: ${order}`;
}

function changeLines({ before, after, is_queued }: ProposedChange, reference: Reference): string[] {
  const names = Object.keys(after) as (keyof TaskChange)[];
  return [
    ...names.map((name) => {
      const [from, to] = [valueText(before[name], reference), valueText(after[name], reference)];
      return `${name.replaceAll('_', ' ')}: ${from} → ${to}`;
    }),
    ...(is_queued ? ['status: draft → in the queue'] : []),
  ];
}

const MAX_VALUE_COLUMNS = 60;

function valueText(value: unknown, reference: Reference): string {
  if (value === null || value === undefined || value === '') return 'nothing';
  if (!Array.isArray(value)) return clip(oneLine(String(value)), MAX_VALUE_COLUMNS);
  if (value.length === 0) return 'nothing';
  return value.map((one) => (typeof one === 'number' ? reference(one) : oneLine(String(one)))).join(', ');
}

/** Where a proposed task belongs, as in ` [orders, backend]`; a missing discipline is said, because a person can still choose it. */
export function taskPlace({ feature, discipline }: Pick<Task, 'feature' | 'discipline'>): string {
  const parts = [...(feature === null ? [] : [oneLine(feature)]), disciplineText(discipline)];
  return ` [${parts.join(', ')}]`;
}

const disciplineText = (discipline: string | null): string =>
  discipline === null ? NO_DISCIPLINE : oneLine(discipline);

export const NO_DISCIPLINE = 'no discipline';
