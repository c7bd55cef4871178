import { ISSUE_TARGET } from '../domain/notifications/issue-comment.ts';
import type { OpenNotification } from '../queue/notifications/outbox.ts';

/** One line for each reason why something could not be told; none for what only waits for its time. */
export function untoldLines(open: readonly OpenNotification[]): string[] {
  const counts = new Map<string, number>();
  for (const { target, problem, isGivenUp } of open) {
    if (problem === null) continue;
    const what = target.startsWith(ISSUE_TARGET) ? 'a comment on GitHub' : `a notification to ${target}`;
    const line = `${what} was ${isGivenUp ? 'never sent' : 'not sent yet'}: ${problem}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
}
