// Why finished work could not land beside what other sessions landed, and what the task's next session is told about it.
import { plural, singleLine } from '../text/text.ts';
import { failedRequired, type GateResult, gateComment } from './gate.ts';
import { firstFailure } from './gate-output.ts';

/** What was landed since the session began. */
type LandedCommit = { commit: string; subject: string };

/** `red`: gates failed on the merge with what others landed, though the session began on an older commit. */
export type LandingProblem =
  | {
      kind: 'conflict';
      paths: readonly string[];
      /** The commit that the work was to land on. */
      onto: string;
      others: readonly (LandedCommit & { paths: readonly string[] })[];
    }
  | { kind: 'red'; onto: string; others: readonly LandedCommit[] };

/** The work stands, but not on what others landed meanwhile. `gates`: the results on the merge. */
export class NotLanded extends Error {
  override readonly name = 'NotLanded';
  readonly problem: LandingProblem;
  readonly gates: readonly GateResult[];

  constructor(problem: LandingProblem, gates: readonly GateResult[] = []) {
    super(`The work does not fit ${shortHash(problem.onto)}, which landed meanwhile.`);
    this.problem = problem;
    this.gates = gates;
  }
}

/** So many conflicts in a row cost a task nothing: it is chance whose work lands first. */
const FREE_CONFLICTS = 2;

/** `conflicts`: of the task's sessions before this one, in a row. */
export const isConflictCharged = (conflicts: number): boolean => conflicts >= FREE_CONFLICTS;

/** The process that landed it saw these gates pass. */
export function redAfterLandingText(task_id: number, gates: readonly GateResult[]): string {
  const [first] = failedRequired(gates);
  const why = first === undefined ? '' : ` ${first.name} (${firstFailure(first)})`;
  return `${landedByDead(task_id)} The gates ran again on it, and this one failed now:${why}. If the work is right, mend what the gate needs; if not, say what to repair. ${ONCE_ANSWERED}`;
}

/** An agent may have written that commit: no review of it is known. */
export const rejectedAfterLandingText = (task_id: number, reason: string): string =>
  `${landedByDead(task_id)} A reviewer has read it now and rejects it: ${singleLine(reason)} Look at it with git log. If it is wrong, say what to repair. ${ONCE_ANSWERED}`;

const landedByDead = (task_id: number): string =>
  `The work of task ${task_id} is on its branch, where a run landed it that was killed before it could record that.`;
const ONCE_ANSWERED = 'Once you answer, a session looks at it, and need not change anything.';

export function landingComment(problem: LandingProblem, gates: readonly GateResult[]): string {
  const parts =
    problem.kind === 'conflict'
      ? [
          `The work could not land on ${shortHash(problem.onto)}: others changed the same lines.`,
          `Conflicts in:\n${list(problem.paths)}`,
          landedText(problem.others.map((one) => `${commitText(one)} (${shortList(one.paths)})`)),
          `The next session starts with both versions and conflict markers in these files. Keep what both changes are for, and leave no marker: ${shortList(problem.paths)}.`,
        ]
      : [
          `The work could not land on ${shortHash(problem.onto)}: gates failed on the merge with what others landed.`,
          landedText(problem.others.map(commitText)),
          ...failedRequired(gates).map(gateComment),
          'The next session starts with the merge of both. Make the gates pass on it.',
        ];
  return parts.filter((part) => part !== null).join('\n\n');
}

const landedText = (commits: readonly string[]): string | null =>
  commits.length === 0 ? null : `Landed meanwhile:\n${list(commits)}`;

const commitText = ({ commit, subject }: LandedCommit): string =>
  `${shortHash(commit)} ${singleLine(subject)}`;

const shortHash = (commit: string): string => commit.slice(0, 7);

/** More would crowd the prompt; git names the others. */
const [MAX_LISTED, MAX_IN_LINE] = [20, 5];

const list = (items: readonly string[]): string =>
  [...items.slice(0, MAX_LISTED), ...moreThan(MAX_LISTED, items)].map((item) => `- ${item}`).join('\n');

const shortList = (items: readonly string[]): string =>
  [...items.slice(0, MAX_IN_LINE), ...moreThan(MAX_IN_LINE, items)].join(', ');

const moreThan = (limit: number, items: readonly string[]): string[] =>
  items.length > limit ? [`${plural(items.length - limit, 'other')}`] : [];
