import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { type Direction, stepFrom } from '../../../src/domain/graph/relatives.ts';
import { boxAt, holds } from '../../../src/domain/graph/window.ts';
import { plural } from '../../../src/domain/text/text.ts';
import { useKeys } from '../../keys.tsx';
import { go } from '../../navigation.ts';
import type { Camera } from './camera.ts';
import { Canvas } from './canvas.tsx';
import { useCamera } from './use-camera.ts';

type Props = { drawing: Drawing; chosen: number | null; onChoose: (id: number | null) => void };

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
};

/** The window onto the graph, with its keys, clicks and zoom buttons. */
export function GraphFrame({ drawing, chosen, onChoose }: Props) {
  const frame = useRef<HTMLElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const camera = useCamera(frame, canvas, drawing, chosen);
  const [last, setLast] = useState(chosen);
  const visited =
    [last, chosen].find((id) => id !== null && drawing.byId.has(id)) ?? drawing.nodes[0]?.id ?? null;
  const isFocusDue = useRef(false);
  // After drawing: the box that gets the focus may not have existed before.
  useLayoutEffect(() => {
    const button = isFocusDue.current ? canvas.current?.querySelector('[data-id][tabindex="0"]') : null;
    isFocusDue.current = false;
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
  }, [visited]);

  const idAt = (event: MouseEvent): number | null => {
    const id = nodeIdOf(event);
    if (id !== null || camera === null) return id;
    // From afar there are no boxes, only the overview.
    const point = { ...camera.toCanvas(event), width: 0, height: 0 };
    return drawing.nodes.find((node) => holds(boxAt(node), point))?.id ?? null;
  };
  /** A click on the zoom buttons means no task under them. */
  const onCanvas =
    (act: (id: number | null) => void) =>
    (event: MouseEvent): void => {
      const isOver = event.target instanceof Element && event.target.closest('fieldset') !== null;
      if (!isOver) act(idAt(event));
    };
  const onKeyDown = (event: KeyboardEvent): void => {
    const id = nodeIdOf(event);
    if (id === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = keyTarget(event.key, id, drawing);
    if (to === undefined) return;
    event.preventDefault();
    if (to === null || to === visited) return;
    isFocusDue.current = true;
    setLast(to);
  };
  useKeys([
    // `onKeyDown` of the focused box handles these two; here they are only listed.
    { keys: '← ↑ ↓ →', does: 'go to the task in that direction', run: () => {} },
    { keys: '↵', does: 'show what it waits for, and what waits for it', run: () => {} },
    { keys: 'o', does: 'open the task', run: () => visited !== null && go(`/tasks/${visited}`) },
    { keys: 'Escape', does: 'clear the choice', run: () => onChoose(null) },
    { keys: '+', does: 'zoom in', run: () => camera?.zoomIn() },
    { keys: '-', does: 'zoom out', run: () => camera?.zoomOut() },
    { keys: '0', does: 'zoom to 100%', run: () => camera?.actualSize() },
    { keys: 'f', does: 'fit the whole graph', run: () => camera?.fit() },
  ]);

  return (
    <section
      ref={frame}
      class={`graph-frame${chosen === null ? '' : ' focused'}`}
      aria-label={`Graph of ${plural(drawing.nodes.length, 'task')}`}
      aria-description="Only visible tasks are listed here; the Tasks page lists all."
      onClick={onCanvas(onChoose)}
      onDblClick={onCanvas((id) => {
        if (id !== null) go(`/tasks/${id}`);
      })}
      onKeyDown={onKeyDown}
      onFocusIn={(event) => {
        const node = drawing.byId.get(nodeIdOf(event) ?? 0);
        if (node === undefined) return;
        setLast(node.id);
        camera?.reveal(boxAt(node));
      }}
    >
      <Canvas
        canvas={canvas}
        viewport={camera?.viewport ?? null}
        drawing={drawing}
        chosen={chosen}
        visited={visited}
      />
      {camera !== null && <Zoom camera={camera} />}
    </section>
  );
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

function nodeIdOf({ target }: Event): number | null {
  const node = target instanceof Element ? target.closest<HTMLElement>('[data-id]') : null;
  return node === null ? null : Number(node.dataset['id']);
}

/** Undefined for keys without a meaning here, null where there is no task to go to. */
function keyTarget(key: string, id: number, { nodes, edges }: Drawing): number | null | undefined {
  const direction = ARROWS[key];
  if (direction !== undefined) return stepFrom(nodes, edges, id, direction);
  const place = nodes.findIndex((node) => node.id === id);
  const to = { Home: 0, End: nodes.length - 1, PageUp: place - 1, PageDown: place + 1 }[key];
  return to === undefined ? undefined : (nodes[to]?.id ?? null);
}
