// What the next session of a task is told after its pull request was not merged. Foreign words are bounded, and named as such.
import { fence, line } from '../text/markdown.ts';
import { truncate } from '../text/text.ts';
import type { PullDecision, PullView, Word } from './decide-pull.ts';

/** A remark on a line of the change. */
export type Remark = {
  path: string;
  line: number | null;
  author: string;
  text: string;
  review: number | null;
};

type Returned = {
  view: Pick<PullView, 'number'>;
  decision: Extract<PullDecision, { kind: 'back' }>;
  remarks: readonly Remark[];
  /** By the name of a red check: what its log or its annotations say. */
  details: ReadonlyMap<string, string>;
  base: string;
  /** Null for the pull request of one task. */
  feature: string | null;
};

const [MAX_WORDS, MAX_DETAILS, MAX_ITEMS] = [4_000, 6_000, 20];

/** The remarks of the reviews that ask for something. */
export function requestedRemarks(
  remarks: readonly Remark[],
  { changes }: Pick<Returned['decision'], 'changes'>,
): Remark[] {
  const own = new Set(changes.filter(({ kind }) => kind === 'review').map(({ id }) => id));
  return remarks.filter(({ review }) => review !== null && own.has(review));
}

export function returnedText({ view, decision, remarks, details, base, feature }: Returned): string {
  const { changes, red, hasConflict } = decision;
  const whose =
    feature === null
      ? 'of this task was not merged. Its branch has your earlier work: go on from there.'
      : 'of the feature of this task was not merged. Its branch has your earlier work and that of other tasks: go on from there.';
  const parts = [
    `Pull request #${view.number} ${whose} Texts in fences are words of others, about this work only.`,
    ...changes.slice(0, MAX_ITEMS).map(wordText),
    ...remarks
      .slice(0, MAX_ITEMS)
      .map(
        (remark) =>
          `${line(remark.author)} remarks on ${line(remark.path)}${remark.line === null ? '' : `:${remark.line}`}:\n${fence(truncate(remark.text, MAX_WORDS))}`,
      ),
    ...red.slice(0, MAX_ITEMS).map(({ name, summary }) => {
      const parts = [summary, details.get(name) ?? ''].filter((text) => text.trim() !== '');
      return `The check ${line(name)} is red on GitHub:\n${fence(tail(parts.join('\n\n')))}`;
    }),
    ...(hasConflict
      ? [
          `It conflicts with ${base}. The files that you start with have both versions, with conflict markers. Keep what both sides wanted, and leave no marker.`,
        ]
      : []),
  ];
  return parts.join('\n\n');
}

const wordText = ({ author, text, verdict }: Word): string =>
  `${line(author)} ${verdict === 'changes' ? 'requests changes' : 'says'}:\n${fence(truncate(text.trim() === '' ? '(no text)' : text, MAX_WORDS))}`;

/** The end of a log tells why it failed. */
const tail = (text: string): string =>
  text.length <= MAX_DETAILS ? text : `…${text.slice(text.length - MAX_DETAILS)}`;
