// What Ralph writes below the issue that a task came from. All readers of the issue see it, so it names no folder of this
// machine, and words of an agent stand in a fence: no mention, no link, no picture.
import { code, fence } from '../text/markdown.ts';
import { truncate } from '../text/text.ts';

/** What a comment says. A finished task closes its issue. */
export type IssueNews =
  | { kind: 'question'; asks: string; words: string; command: string }
  | { kind: 'failed'; command: string }
  | { kind: 'finished'; commit: string | null; summary: string; gates: readonly string[] };

const MAX_WORDS = 4_000;

export function issueComment(news: IssueNews): string {
  switch (news.kind) {
    case 'question':
      return [
        `**Ralph needs a person** for this issue. It ${news.asks}:`,
        fence(truncate(news.words, MAX_WORDS), 'text'),
        `Type ${code(news.command)} where Ralph runs. Ralph does not read replies to this comment.`,
      ].join('\n\n');
    case 'failed':
      return `**Ralph has used up its tries** for this issue. See why with ${code(news.command)} where Ralph runs.`;
    case 'finished':
      return [
        news.commit === null
          ? '**Ralph has finished** this issue. No file had to change.'
          : `**Ralph has finished** this issue. The work has landed in ${news.commit}.`,
        ...(news.summary.trim() === '' ? [] : [fence(truncate(news.summary, MAX_WORDS), 'text')]),
        ...(news.gates.length === 0 ? [] : [`Passed: ${news.gates.map(code).join(', ')}.`]),
      ].join('\n\n');
  }
}

/** Invisible on the page. Tells whether the comment is there already, after a crash or an answer that was lost. */
export const commentMarker = ({ created, event_id }: { created: number; event_id: number }): string =>
  `<!-- ralph ${created.toString(36)}.${event_id} -->`;

/** An issue as the outbox names it. `board`: the repository, behind its host unless that is github.com. */
type IssueName = { board: string; number: number };

export const ISSUE_TARGET = 'github ';

export const issueTarget = ({ board, number }: IssueName): string => `${ISSUE_TARGET}${board}#${number}`;

export function parseIssueTarget(target: string): IssueName | null {
  const [, board, number] = /^github (.+)#(\d+)$/.exec(target) ?? [];
  return board === undefined ? null : { board, number: Number(number) };
}

/** Below these, a path tells of the machine or its owner. */
const PRIVATE_PATH =
  /(?<![\w./~-])(?:\/(?:home|Users|Volumes|root|tmp|var|private|opt|mnt|srv|usr|dev)[\\/]|[A-Za-z]:[\\/])[^\s"'`<>()[\]{},;:]*/g;

/** `folders`: what stands in place of each folder, such as `.` for the project. */
export function withoutLocalPaths(text: string, folders: readonly (readonly [string, string])[]): string {
  const longestFirst = folders
    .filter(([folder]) => folder.length > 1)
    .sort(([one], [other]) => other.length - one.length);
  const named = longestFirst.reduce((so, [folder, name]) => so.replaceAll(folder, name), text);
  return named.replace(
    PRIVATE_PATH,
    (path) =>
      `…/${
        path
          .split(/[\\/]+/)
          .filter(Boolean)
          .at(-1) ?? ''
      }`,
  );
}
