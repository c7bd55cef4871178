import { useState } from 'preact/hooks';
import type { LearningsView, ShownLearning } from '../../../src/ui/views/knowledge.ts';
import { useKeys } from '../../keys.tsx';
import { currentUrl, withQuery } from '../../navigation.ts';
import { Empty, Problem } from '../../parts/labels.tsx';
import { useIsReadOnly } from '../../project.ts';
import { useView } from '../../view.ts';
import { Learning } from './learning.tsx';
import { LearningForm, learningsPath } from './learning-form.tsx';

export function Learnings({ feature }: { feature: string | null }) {
  const isArchive = currentUrl.value.searchParams.get('archived') !== null;
  const { value, error } = useView<LearningsView>(learningsPath(feature, isArchive), ({ kind }) =>
    /^learning\.|^session\.ended/.test(kind),
  );
  return (
    <section aria-labelledby="learnings">
      <div class="over">
        <h3 id="learnings">Learnings</h3>
        {value !== null && (
          <p class="tabs">
            <a href={withQuery({ archived: '' })} aria-current={isArchive ? undefined : 'true'}>
              In prompts {value.active}
            </a>
            <a href={withQuery({ archived: '1' })} aria-current={isArchive ? 'true' : undefined}>
              Archive {value.archived}
            </a>
          </p>
        )}
        <Teach feature={feature} />
      </div>
      <Problem sentence={error} />
      {value?.learnings.length === 0 && (
        <Empty>
          {isArchive ? (
            'Nothing is in the archive.'
          ) : (
            <>
              There are no learnings yet. Sessions add them, and so can you:{' '}
              <code>ralph learn "One fact that saves time"{feature !== null && ` --feature ${feature}`}</code>
            </>
          )}
        </Empty>
      )}
      <ul class="cards">
        {pairConflicts(value?.learnings ?? []).map(([one, other]) => (
          <li key={one.id} class={other === undefined ? undefined : 'odds'}>
            <Learning learning={one} />
            {other !== undefined && <Learning learning={other} newer={one.id} />}
          </li>
        ))}
      </ul>
      {value !== null && value.learnings.length < (isArchive ? value.archived : value.active) && (
        <p class="aside">
          The {value.learnings.length} newest are shown; all of them: <code>ralph learn list</code>
        </p>
      )}
    </section>
  );
}

/** Each learning once, newest first; next to it the older one that it contradicts. */
function pairConflicts(learnings: readonly ShownLearning[]): [ShownLearning, ShownLearning?][] {
  const left = new Map(learnings.map((learning) => [learning.id, learning]));
  return learnings.flatMap((one): [ShownLearning, ShownLearning?][] => {
    if (!left.delete(one.id)) return [];
    const other = left.get(one.conflicts_with ?? 0);
    if (other === undefined) return [[one]];
    left.delete(other.id);
    return [[one, other]];
  });
}

function Teach({ feature }: { feature: string | null }) {
  const [isOpen, setOpen] = useState(false);
  const isReadOnly = useIsReadOnly();
  useKeys(isReadOnly ? [] : [{ keys: 't', does: 'teach later sessions a fact', run: () => setOpen(true) }]);
  if (isReadOnly) return null;
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Teach a fact
      </button>
      {isOpen && <LearningForm feature={feature} onClose={() => setOpen(false)} />}
    </>
  );
}
