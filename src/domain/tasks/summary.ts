// The queue in one line, for places where there is no room for more.
import { plural } from '../text/text.ts';

export type Summary = {
  ready: number;
  running: number;
  done: number;
  total: number;
  /** Questions that a task waits for. */
  questions: number;
  /** Flags that hold a task back. */
  flags: number;
  failed: number;
  blocked: number;
  drafts: number;
};

export function statusLine(summary: Summary): string {
  const { ready, running, done, total } = summary;
  if (total === 0) return 'ralph: no tasks yet';
  const needs = needsText(summary);
  const parts = [
    `ralph ${done}/${total} done`,
    ...(running > 0 ? [`${running} running`] : []),
    ...(ready > 0 ? [`${ready} ready`] : []),
    ...(needs === '' ? [] : [`needs you: ${needs}`]),
  ];
  return parts.join(' · ');
}

/** What only a person can move on; empty if nothing needs them. */
export function needsText({ questions, flags, failed, blocked, drafts }: Summary): string {
  const parts = [
    ...(questions > 0 ? [plural(questions, 'question')] : []),
    ...(flags > 0 ? [plural(flags, 'flag')] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(drafts > 0 ? [plural(drafts, 'draft')] : []),
  ];
  return parts.join(', ');
}
