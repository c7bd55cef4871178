import type { NowView } from '../../../src/ui/views/now.ts';
import { currentUrl } from '../../navigation.ts';
import { Empty, Problem } from '../../parts/labels.tsx';
import { QueueBar } from '../../parts/queue-bar.tsx';
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
