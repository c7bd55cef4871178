import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { MEASURES } from '../../src/domain/graph/layout.ts';
import { type Direction, stepFrom } from '../../src/domain/graph/step.ts';
import { plural } from '../../src/domain/text.ts';
import type { GraphNode, GraphView } from '../../src/ui/views/graph.ts';
import { useKeys } from '../keys.ts';
import { go } from '../route.ts';
import { Camera } from './graph-camera.ts';
import { holdGraph } from './graph-hands.ts';
import { Paper } from './graph-paper.tsx';

type Props = { view: GraphView; chosen: number | null; onChoose: (id: number | null) => void };

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** The window onto the graph. */
export function GraphFrame({ view, chosen, onChoose }: Props) {
  const frame = useRef<HTMLElement>(null);
  const paper = useRef<HTMLDivElement>(null);
  const camera = useCamera(frame, paper, view, chosen);
  const [visited, setVisited] = useState(chosen);
  const placed = useMemo(() => new Map(view.nodes.map((node) => [node.id, node])), [view]);
  const stop = [visited, chosen].find((id) => id !== null && placed.has(id)) ?? view.nodes[0]?.id ?? null;

  const visit = (id: number | null | undefined): void => {
    const button = paper.current?.querySelector(`[data-id="${id ?? ''}"]`);
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = idAt(event);
    if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = targetOf(event.key, id, view);
    if (to === undefined) return;
    event.preventDefault();
    visit(to);
  };
  useKeys([
    // These belong to the box that has the focus; here they are only told of.
    { keys: '← ↑ ↓ →', does: 'go to the task there', run: () => {} },
    { keys: '↵', does: 'show what it waits for, and what waits for it', run: () => {} },
    { keys: 'o', does: 'open the task', run: () => stop !== null && go(`/tasks/${stop}`) },
    { keys: 'Escape', does: 'show all alike', run: () => onChoose(null) },
    { keys: '+', does: 'zoom in', run: () => camera?.zoomIn() },
    { keys: '-', does: 'zoom out', run: () => camera?.zoomOut() },
    { keys: '0', does: 'zoom to 100%', run: () => camera?.actualSize() },
    { keys: 'f', does: 'fit all of it in', run: () => camera?.fit() },
  ]);

  return (
    <section
      ref={frame}
      class={`graph-frame${chosen === null ? '' : ' focused'}`}
      aria-label={`Graph of ${plural(view.nodes.length, 'task')}`}
      onClick={(event) => onChoose(idAt(event))}
      onDblClick={(event) => {
        const id = idAt(event);
        if (id !== null) go(`/tasks/${id}`);
      }}
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        const node = placed.get(idAt(event) ?? 0);
        if (node === undefined) return;
        setVisited(node.id);
        camera?.reveal(boxOf(node));
      }}
    >
      <Paper paper={paper} view={view} chosen={chosen} stop={stop} />
      {camera !== null && <Zoom camera={camera} />}
    </section>
  );
}

const boxOf = ({ x, y }: GraphNode) => ({ x, y, width: MEASURES.width, height: MEASURES.height });

function idAt({ target }: Event): number | null {
  const node = target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null;
  return node === null ? null : Number(node.dataset['id']);
}

/** Undefined for keys that mean nothing here, null where there is nothing to go to. */
function targetOf(key: string, id: number, { nodes, edges }: GraphView): number | null | undefined {
  const direction = ARROWS[key];
  if (direction !== undefined) return stepFrom(nodes, edges, id, direction);
  const place = nodes.findIndex((node) => node.id === id);
  const to = { Home: 0, End: nodes.length - 1, PageUp: place - 1, PageDown: place + 1 }[key];
  return to === undefined ? undefined : (nodes[to]?.id ?? null);
}

/** Begins where there is most to see; after that only people move it, and whoever is looked at stays in place. */
function useCamera(
  frame: RefObject<HTMLElement | null>,
  paper: RefObject<HTMLElement | null>,
  view: GraphView,
  chosen: number | null,
): Camera | null {
  const [camera, setCamera] = useState<Camera | null>(null);
  const shown = useRef<GraphView | null>(null);
  useLayoutEffect(() => {
    if (frame.current === null || paper.current === null) return;
    const made = new Camera(frame.current, paper.current);
    const letGo = holdGraph(made);
    setCamera(made);
    return () => {
      letGo();
      made.stop();
    };
  }, [frame, paper]);
  useLayoutEffect(() => {
    if (camera === null) return;
    const find = (from: GraphView | null, id: number | undefined) => from?.nodes.find((one) => one.id === id);
    const before = shown.current;
    shown.current = view;
    if (before === null) {
      const first = find(view, chosen ?? view.critical.tasks[0]) ?? view.nodes[0];
      camera.begin(first === undefined ? null : boxOf(first));
      return;
    }
    const looked = find(view, chosen ?? undefined);
    if (before === view) {
      if (looked !== undefined) camera.reveal(boxOf(looked));
      return;
    }
    const held = find(before, chosen ?? undefined) ?? before.nodes.find(({ id }) => find(view, id));
    const now = find(view, held?.id);
    if (held === undefined || now === undefined) return;
    const scale = camera.scale.value;
    camera.move((held.x - now.x) * scale, (held.y - now.y) * scale);
  }, [camera, view, chosen]);
  return camera;
}

const Zoom = ({ camera }: { camera: Camera }) => {
  const percent = Math.round(camera.scale.value * 100);
  return (
    <fieldset class="graph-zoom" aria-label="Zoom">
      <button type="button" aria-label="Zoom out" onClick={camera.zoomOut}>
        −
      </button>
      <button type="button" aria-label={`${percent}%, zoom to 100%`} onClick={camera.actualSize}>
        {percent}%
      </button>
      <button type="button" aria-label="Zoom in" onClick={camera.zoomIn}>
        +
      </button>
      <button type="button" onClick={camera.fit}>
        Fit
      </button>
    </fieldset>
  );
};
