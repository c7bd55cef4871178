import { useState } from 'preact/hooks';
import type { Interval } from '../../../src/domain/tasks/task-timeline.ts';
import { duration } from '../../../src/domain/text/amounts.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { clock } from '../../clock.ts';

/** The latest of them; the rest when it is asked for. */
const SHOWN_INTERVALS = 8;

/** One band of time, and the same in words. */
export function Timeline({ task: { id, story, history, left_behind } }: { task: TaskView }) {
  // When the process of a session died, nobody knows.
  const isLeft = left_behind.includes(id);
  const [isWhole, setWhole] = useState(false);
  const last = story.at(-1)?.state;
  // What has come to its end, for now, would hide in the band how it came there.
  const spent = last === 'done' || last === 'skipped' || last === 'failed' ? story.slice(0, -1) : story;
  const told = story.filter(isWorthListing);
  const shown = isWhole ? told : told.slice(-SHOWN_INTERVALS);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <div class="band" aria-hidden="true">
        {spent.map((span) => (
          <span
            key={`${span.state} ${span.from}`}
            class={span.state}
            style={{ flexGrow: span.to === null && isLeft ? 1 : Math.max(1, intervalMs(span)) }}
          />
        ))}
      </div>
      {shown.length < told.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show what was before
        </button>
      )}
      <ol class="story">
        {shown.map((span) => (
          <li key={`${span.state} ${span.from}`} class={span.state}>
            <When at={span.from} />
            <span>
              {causeText(span)}
              {span.session_id !== null && span.state === 'ran' ? (
                <a href={`/sessions/${span.session_id}`}>{STATE_WORDS.ran}</a>
              ) : (
                STATE_WORDS[span.state]
              )}
              {span.state === 'checked' && gateSummary(history, span)}
            </span>
            <span class="number">
              {span.to === null && (isLeft || span.state === 'done' || span.state === 'skipped')
                ? ''
                : duration(intervalMs(span))}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

const STATE_WORDS: Record<Interval['state'], string> = {
  draft: 'draft',
  pending: 'waited',
  ran: 'ran',
  checked: 'checked',
  needs_input: 'waited for an answer',
  blocked: 'blocked',
  failed: 'failed',
  done: 'done',
  skipped: 'skipped',
};

/** The clock of a machine can be put back. */
const intervalMs = ({ from, to }: Interval): number => Math.max(0, (to ?? clock.value) - from);

const CAUSES: Partial<Record<string, string>> = {
  approve: 'approved',
  retry: 'queued again',
  answer: 'answered',
  unblock: 'unblocked',
  reopen: 'reopened',
};
const CHANNELS = { cli: ' in the terminal', mcp: ' by an MCP client', ui: ' on this page' } as const;

/** A queue that is worked on at once makes nobody wait. */
const isWorthListing = (span: Interval): boolean =>
  span.state !== 'pending' || span.to === null || intervalMs(span) >= 1_000 || causeText(span) !== '';

/** What a person did to it, and where; what Ralph does by itself is told by what follows. */
function causeText({ cause, via, state }: Interval): string {
  const did = cause === null || state === 'checked' ? undefined : CAUSES[cause];
  return did === undefined ? '' : `${did}${via === null ? '' : CHANNELS[via]}, `;
}

function gateSummary(history: TaskView['history'], { session_id }: Interval): string {
  const gates = history.find(({ session }) => session.id === session_id)?.gates ?? [];
  const passed = gates.filter((gate) => gate.passed).length;
  return gates.length === 0 ? '' : `: ${passed} of ${gates.length} gates passed`;
}

const When = ({ at }: { at: number }) => {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(clock.peek()).toDateString();
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {isToday ? '' : `${date.toLocaleDateString(undefined, { month: 'short', day: 'numeric' })} `}
      {date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' })}
    </time>
  );
};
