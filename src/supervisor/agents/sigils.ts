// Listens to an agent that reports by sigils, and records what it says as the verbs would.
import { Refusal } from '../../domain/refusal.ts';
import { findTags } from '../../domain/sessions/sigil.ts';
import { LAST_TEXT_LINES, readReport, type SigilReport } from '../../domain/sessions/sigil-report.ts';
import type { Signal } from '../../domain/sessions/signal.ts';
import { plural, toStorable } from '../../domain/text/text.ts';
import { parseStreamLine } from '../../domain/transcript/parse.ts';
import type { Queue } from '../../queue/queue.ts';
import { record } from '../../queue/sessions/record.ts';
import { addComment } from '../../queue/tasks/comment.ts';
import { countOtherOpenTasks } from '../../queue/tasks/status.ts';

/** `lines`: enough to find where the code block around the last text begins. */
const MAX = { lines: 400, lineCharacters: 4_000, earlier: 3 };

export class SigilListener {
  private lines: string[] = [];
  private earlier: string[] = [];
  /** Whether `lines` begins with a message, which is then the last text as a whole. */
  private isMessage = false;

  /** One line of its output: plain text, or an event in the form of Claude Code. */
  push(line: string): void {
    const { event, json } = parseStreamLine(line);
    switch (event.kind) {
      case 'plain':
        // An event in an unknown form may hold what a tool has read, so it counts as a quotation.
        this.append([json === null ? line : `> ${line}`]);
        return;
      case 'assistant':
        for (const block of event.is_subagent || event.error !== null ? [] : event.blocks)
          if (block.kind === 'text') this.replaceBy(block.text);
        return;
      case 'result':
        this.replaceBy(event.text);
        return;
      default:
        return;
    }
  }

  /** A whole message of an agent whose stream tells its messages apart. */
  hear(message: string): void {
    this.replaceBy(message);
  }

  report(task_id: number): SigilReport {
    const { lines, earlier } = this;
    const first = this.isMessage ? 0 : Math.max(0, lines.length - LAST_TEXT_LINES);
    return readReport({ lines, first, earlier }, task_id);
  }

  private replaceBy(message: string): void {
    if (message.trim() === '') return;
    this.forget(this.lines);
    this.lines = [];
    this.isMessage = true;
    this.append(message.split('\n'));
  }

  private append(lines: readonly string[]): void {
    const cut = lines.filter((line) => line.trim() !== '').map((line) => line.slice(-MAX.lineCharacters));
    const all = [...this.lines, ...cut];
    this.forget(all.slice(0, -MAX.lines));
    this.lines = all.slice(-MAX.lines);
  }

  private forget(lines: readonly string[]): void {
    const tags = findTags(lines).filter(({ sigil, isQuoted }) => !isQuoted && sigil?.kind !== 'next_model');
    this.earlier = [...this.earlier, ...tags.map(({ text }) => text)].slice(-MAX.earlier);
  }
}

/** Returns why tags do not count, after it has told the task's next session. */
export async function recordReport(
  queue: Queue,
  { session_id, task_id }: { session_id: string; task_id: number },
  report: SigilReport,
): Promise<readonly string[]> {
  const notices = [...report.notices];
  let { closing } = report;
  const open = report.claimsCompletion ? await countOtherOpenTasks(queue, task_id) : 0;
  if (open > 0) {
    notices.push(
      `It said that everything is complete, but ${plural(open, 'other task')} ${open === 1 ? 'is' : 'are'} open.`,
    );
    if (closing?.sigil.kind === 'complete') closing = null;
  }
  try {
    const signals = closing === null ? [] : toSignals(closing);
    for (const signal of signals) await record(queue, { session_id, call_id: null, signal });
  } catch (error) {
    // A sigil that comes too late must not end a run.
    if (!(error instanceof Refusal)) throw error;
    notices.push(error.message);
  }
  if (notices.length > 0) await addComment(queue, task_id, toStorable(notices.join('\n')));
  return notices;
}

function toSignals({ sigil, words }: NonNullable<SigilReport['closing']>): Signal[] {
  // An agent may print any character; the database does not store all of them.
  const text = toStorable(words).trim();
  switch (sigil.kind) {
    case 'done':
    case 'complete':
      return [
        {
          verb: 'done',
          summary: text === '' ? 'It said that it is done.' : text,
          ...('no_change_reason' in sigil && { no_change_reason: toStorable(sigil.no_change_reason) }),
        },
      ];
    case 'failed':
    case 'failure':
      return [{ verb: 'stuck', reason: text === '' ? 'It gave no reason.' : text }];
    case 'blocked':
      return [
        { verb: 'blocked', on: toStorable(sigil.reason), kind: 'external' },
        {
          verb: 'partial',
          summary: text === '' ? 'Blocked.' : text,
          remaining: `What waits for: ${toStorable(sigil.reason)}`,
        },
      ];
  }
}
