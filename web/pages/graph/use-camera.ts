import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Drawing } from '../../../src/domain/graph/drawing.ts';
import { boxAt } from '../../../src/domain/graph/window.ts';
import { Camera } from './camera.ts';

/** Starts at a useful place; after that only the person moves it. When the layout changes, the chosen task stays put. */
export function useCamera(
  frame: RefObject<HTMLElement | null>,
  canvas: RefObject<HTMLElement | null>,
  drawing: Drawing,
  chosen: number | null,
): Camera | null {
  const [camera, setCamera] = useState<Camera | null>(null);
  const shown = useRef<Drawing | null>(null);
  useLayoutEffect(() => {
    if (frame.current === null || canvas.current === null) return;
    const created = new Camera(frame.current, canvas.current);
    const detachGestures = attachGestures(created);
    setCamera(created);
    return () => {
      detachGestures();
      created.stop();
    };
  }, [frame, canvas]);
  useLayoutEffect(() => {
    if (camera === null) return;
    const before = shown.current;
    shown.current = drawing;
    camera.size = drawing;
    if (before === null) {
      const first = drawing.byId.get(chosen ?? drawing.critical.tasks[0] ?? 0) ?? drawing.nodes[0];
      camera.begin(first === undefined ? null : boxAt(first));
      return;
    }
    if (before === drawing) {
      const node = drawing.byId.get(chosen ?? 0);
      if (node !== undefined) camera.reveal(boxAt(node));
      return;
    }
    const anchor = before.byId.get(chosen ?? 0) ?? before.nodes.find(({ id }) => drawing.byId.has(id));
    const now = drawing.byId.get(anchor?.id ?? 0);
    if (anchor === undefined || now === undefined) return;
    const scale = camera.scale.value;
    camera.move((anchor.x - now.x) * scale, (anchor.y - now.y) * scale);
  }, [camera, drawing, chosen]);
  return camera;
}

// Mouse, wheel, trackpad and fingers on the graph.

/** A shorter move is a click by an unsteady hand. */
const CLICK_WITHIN_PX = 4;
const LINE_PX = 16;
const ZOOM_PER_PX = 0.005;

type Point = { x: number; y: number };

/** Returns a function that detaches them. */
function attachGestures(camera: Camera): () => void {
  const { frame } = camera;
  const over = new AbortController();
  const fingers = new Map<number, Point>();
  let [travelled, isDragged] = [0, false];
  const at = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = frame.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const on = <K extends keyof HTMLElementEventMap>(
    kind: K,
    run: (event: HTMLElementEventMap[K]) => void,
    options: AddEventListenerOptions = {},
  ): void => frame.addEventListener(kind, run, { ...options, signal: over.signal });

  on(
    'wheel',
    (event) => {
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : LINE_PX;
      if (event.ctrlKey || event.metaKey)
        camera.zoom(Math.exp(-event.deltaY * unit * ZOOM_PER_PX), at(event));
      else if (event.shiftKey && event.deltaX === 0) camera.move(-event.deltaY * unit, 0);
      else camera.move(-event.deltaX * unit, -event.deltaY * unit);
    },
    { passive: false },
  );
  on('pointerdown', (event) => {
    if (event.button !== 0) return;
    if (fingers.size === 0) [travelled, isDragged] = [0, false];
    fingers.set(event.pointerId, at(event));
  });
  on('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (before === undefined) return;
    const now = at(event);
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    travelled += Math.abs(dx) + Math.abs(dy);
    if (!isDragged && travelled < CLICK_WITHIN_PX) return;
    if (!isDragged) frame.setPointerCapture(event.pointerId);
    isDragged = true;
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    fingers.set(event.pointerId, now);
    if (other === undefined) camera.move(dx, dy);
    else camera.zoom(apart(now, other) / Math.max(1, apart(before, other)), between(now, other));
  });
  const leave = ({ pointerId }: PointerEvent): void => void fingers.delete(pointerId);
  on('pointerup', leave);
  on('pointercancel', leave);
  // The click that ends a drag chooses no task.
  on(
    'click',
    (event) => {
      if (isDragged) event.stopPropagation();
      isDragged = false;
    },
    { capture: true },
  );
  return () => over.abort();
}

const apart = (one: Point, other: Point): number => Math.hypot(one.x - other.x, one.y - other.y);

const between = (one: Point, other: Point): Point => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 });
