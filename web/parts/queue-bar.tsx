import type { StatusWord } from '../../src/domain/tasks/status-word.ts';
import type { QueueStatus } from '../../src/queue/tasks/status.ts';
import { Status } from './labels.tsx';

type Props = Pick<QueueStatus, 'counts' | 'ready'>;

/** How far the queue has come; each part links to its tasks. */
export function QueueBar({ counts, ready }: Props) {
  const parts: [StatusWord, number][] = [
    ['done', counts.done],
    ['skipped', counts.skipped],
    ['in_progress', counts.in_progress],
    ['ready', ready],
    ['waiting', counts.pending - ready],
    ['needs_input', counts.needs_input],
    ['blocked', counts.blocked],
    ['failed', counts.failed],
    ['draft', counts.draft],
  ];
  const shown = parts.filter(([, count]) => count > 0);
  const total = shown.reduce((sum, [, count]) => sum + count, 0);
  return (
    <section aria-labelledby="queue">
      <h2 id="queue">Queue</h2>
      <div class="queue-bar" aria-hidden="true">
        {shown.map(([word, count]) => (
          <span key={word} class={word} style={{ flexGrow: count }} />
        ))}
      </div>
      <ul class="legend">
        {shown.map(([word, count]) => (
          <li key={word}>
            <a href={`/tasks?status=${word}`}>
              {count} <Status word={word} />
            </a>
          </li>
        ))}
        <li>of {total}</li>
      </ul>
    </section>
  );
}
