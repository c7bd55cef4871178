import type { Drawing, DrawnNode } from '../../../src/domain/graph/drawing.ts';
import { findRelatives } from '../../../src/domain/graph/relatives.ts';
import { LEFT_BEHIND } from '../../../src/domain/sessions/session-state.ts';
import type { StateWord } from '../../../src/domain/tasks/status.ts';
import { currentUrl, withQuery } from '../../navigation.ts';
import { Status, Text } from '../../parts/labels.tsx';
import { stageSentence } from '../../parts/stage.ts';
import { useProject } from '../../project.ts';

type Props = { drawing: Drawing; id: number; onChoose: (id: number | null) => void };

/** The chosen task, and its neighbours to choose next. */
export function GraphPanel({ drawing, id, onChoose }: Props) {
  const project = useProject();
  const node = drawing.byId.get(id);
  if (node === undefined) return null;
  const waiting = drawing.nodes.filter(({ waits }) => waits.includes(id));
  const { title, state, feature, discipline, critical, waits } = node;
  const about = [
    project?.features.find(({ name }) => name === feature)?.display_name ?? feature,
    project?.disciplines.find(({ name }) => name === discipline)?.display_name ?? discipline,
    critical ? 'on the critical path' : null,
  ].filter((part) => part !== null);
  return (
    <aside class="graph-panel" aria-label={`Task #${id}`}>
      <header>
        <h2>
          <span class="aside">#{id}</span> <Text>{title}</Text>
        </h2>
        <button type="button" class="quiet" aria-label="Close" onClick={() => onChoose(null)}>
          ✕
        </button>
      </header>
      <p>
        <Status word={state} />
        {about.length > 0 && (
          <span class="aside">
            {' '}
            · <Text>{about.join(' · ')}</Text>
          </span>
        )}
      </p>
      <Why node={node} drawing={drawing} />
      <Neighbours title="Waits for" ids={waits} drawing={drawing} onChoose={onChoose} />
      <Neighbours
        title="Needed by"
        ids={waiting.map((one) => one.id)}
        drawing={drawing}
        onChoose={onChoose}
      />
      <p class="buttons">
        <a class="button" href={`/tasks/${id}`}>
          Open the task
        </a>
        {currentUrl.value.searchParams.get('around') !== String(id) && (
          <a class="button" href={withQuery({ around: String(id), task: '' })}>
            Only around it
          </a>
        )}
      </p>
    </aside>
  );
}

/** What the task needs next, for states without a better sentence. */
const STATE_SENTENCES: Partial<Record<StateWord, string>> = {
  draft: 'It waits for your approval.',
  ready: 'Nothing holds it back.',
  waiting: 'Its start time has not come yet.',
  left_behind: `A session has it. ${LEFT_BEHIND}`,
  needs_input: 'It asks a question; answer it on its page.',
  blocked: 'Its page shows what blocks it.',
  failed: 'Its page shows why it failed; retry it there.',
};

/**
 * For a task at work: how far it has come. For a waiting task: the tasks at the far end of the
 * chain, which have to move first.
 */
function Why({ node: { id, state, stage, waits }, drawing }: { node: DrawnNode; drawing: Drawing }) {
  if (stage !== null) return <p>{stageSentence(stage)}</p>;
  const sentence = STATE_SENTENCES[state];
  if (state !== 'waiting' || waits.length === 0) return sentence === undefined ? null : <p>{sentence}</p>;
  const { past } = findRelatives(drawing.edges, id);
  const roots = drawing.nodes.filter(
    (one) => past.has(one.id) && one.waits.length === 0 && one.state !== 'done' && one.state !== 'skipped',
  );
  if (roots.length === 0 || roots.every((root) => waits.includes(root.id))) return null;
  return (
    <p>
      At the end of the chain, it waits for{' '}
      {roots.slice(0, MAX_ROOTS).map((root, index) => (
        <span key={root.id}>
          {index > 0 && ', '}#{root.id} <Status word={root.state} />
        </span>
      ))}
      {roots.length > MAX_ROOTS && ` and ${roots.length - MAX_ROOTS} more`}.
    </p>
  );
}

const MAX_ROOTS = 8;

type NeighbourProps = Pick<Props, 'drawing' | 'onChoose'> & { title: string; ids: readonly number[] };

function Neighbours({ title, ids, drawing, onChoose }: NeighbourProps) {
  if (ids.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="neighbours">
        {ids.slice(0, MAX_NEIGHBOURS).map((id) => {
          const node = drawing.byId.get(id);
          return (
            <li key={id}>
              {node === undefined ? (
                <a href={`/tasks/${id}`}>#{id}, not shown here</a>
              ) : (
                <button type="button" class="quiet" onClick={() => onChoose(id)}>
                  <span class="aside">#{id}</span> <Text>{node.title}</Text> <Status word={node.state} />
                </button>
              )}
            </li>
          );
        })}
      </ul>
      {ids.length > MAX_NEIGHBOURS && <p class="aside">and {ids.length - MAX_NEIGHBOURS} more</p>}
    </>
  );
}

const MAX_NEIGHBOURS = 30;
