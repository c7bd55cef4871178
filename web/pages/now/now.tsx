import type { StatusWord } from '../../../src/domain/tasks/status.ts';
import type { QueueStatus } from '../../../src/queue/tasks/status.ts';
import type { NowView } from '../../../src/ui/views/now.ts';
import { currentUrl } from '../../navigation.ts';
import { Empty, Problem, Status } from '../../parts/labels.tsx';
import { useProject } from '../../project.ts';
import { useView } from '../../view.ts';
import { ForLater, NeedsYou } from './needs.tsx';
import { Running } from './running.tsx';

export function NowPage() {
  const first = currentUrl.value.searchParams.get('from');
  const { value: now, error } = useView<NowView>(
    `/api/now${first === null ? '' : `?from=${encodeURIComponent(first)}`}`,
  );
  const project = useProject();
  if (now === null || project === null)
    return (
      <>
        <h1>Now</h1>
        <Problem sentence={error} />
      </>
    );
  const total = Object.values(now.counts).reduce((sum, count) => sum + count, 0);
  return (
    <>
      <h1>Now</h1>
      <Problem sentence={error} />
      {total === 0 ? (
        <Empty>
          There are no tasks yet. Add one: <code>ralph add "What is to be done"</code>, or plan some:{' '}
          <code>ralph plan</code>
        </Empty>
      ) : (
        <>
          <NeedsYou now={now} />
          <Running now={now} supervisor={project.supervisor} />
          <ForLater now={now} />
          <QueueBar counts={now.counts} ready={now.ready} />
        </>
      )}
    </>
  );
}

type Props = Pick<QueueStatus, 'counts' | 'ready'>;

/** How far the queue has come; each part links to its tasks. */
function QueueBar({ counts, ready }: Props) {
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
