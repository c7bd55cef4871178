import { useState } from 'preact/hooks';
import { plural } from '../../src/domain/text/text.ts';
import { actAndNotify } from '../notice.tsx';
import { Confirm } from './dialog.tsx';

/** Approves all drafts, or all of a feature, including those that this page does not show. */
export function ApproveAll({ count, feature = null }: { count: number; feature?: string | null }) {
  const [isAsking, setAsking] = useState(false);
  const drafts = `${plural(count, 'draft')}${feature === null ? '' : ` of ${feature}`}`;
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Approve all {count}
      </button>
      {isAsking && (
        <Confirm
          title={`Approve ${drafts}?`}
          question="Ralph queues all of them, including those that are not shown here."
          yes={`Approve ${plural(count, 'draft')}`}
          onYes={() => void actAndNotify('approve', { all: { count, feature } })}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
