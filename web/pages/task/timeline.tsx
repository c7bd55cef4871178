import { useState } from 'preact/hooks';
import type { Interval } from '../../../src/domain/tasks/task-timeline.ts';
import { duration } from '../../../src/domain/text/amounts.ts';
import type { TaskView } from '../../../src/ui/views/task.ts';
import { clock } from '../../clock.ts';

/** The latest ones; a button shows the rest. */
const SHOWN_INTERVALS = 8;

/** The task's history as a coloured band, and the same in words. */
export function Timeline({ task: { id, story, history, left_behind } }: { task: TaskView }) {
  // The last interval of a dead session has no known end.
  const isOrphan = left_behind.includes(id);
  const [isWhole, setWhole] = useState(false);
  const last = story.at(-1)?.state;
  // A final state lasts until now, and would fill the band.
  const band = last === 'done' || last === 'skipped' || last === 'failed' ? story.slice(0, -1) : story;
  const listed = story.filter(isWorthListing);
  const shown = isWhole ? listed : listed.slice(-SHOWN_INTERVALS);
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      <div class="band" aria-hidden="true">
        {band.map((span) => (
          <span
            key={`${span.state} ${span.from}`}
            class={span.state}
            style={{ flexGrow: span.to === null && isOrphan ? 1 : Math.max(1, intervalMs(span)) }}
          />
        ))}
      </div>
      {shown.length < listed.length && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show earlier
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
              {span.to === null && (isOrphan || span.state === 'done' || span.state === 'skipped')
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

/** Never negative: the clock of a machine can be set back. */
const intervalMs = ({ from, to }: Interval): number => Math.max(0, (to ?? clock.value) - from);

const CAUSES: Partial<Record<string, string>> = {
  approve: 'approved',
  retry: 'queued again',
  answer: 'answered',
  unblock: 'unblocked',
  reopen: 'reopened',
};
const CHANNELS = { cli: ' in the terminal', mcp: ' by an MCP client', ui: ' on this page' } as const;

/** A wait of less than a second is not worth a line, unless a person caused it. */
const isWorthListing = (span: Interval): boolean =>
  span.state !== 'pending' || span.to === null || intervalMs(span) >= 1_000 || causeText(span) !== '';

/** What a person did, and where. Empty for what Ralph did by itself: the next interval shows that. */
function causeText({ cause, via, state }: Interval): string {
  const action = cause === null || state === 'checked' ? undefined : CAUSES[cause];
  return action === undefined ? '' : `${action}${via === null ? '' : CHANNELS[via]}, `;
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
